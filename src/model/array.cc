#include "tegula/array.h"

#include "base/fail.h"

namespace tegula {

namespace {

[[noreturn]] void lacking(const Array& array, std::string_view what) {
  fail(ErrorKind::unsupported, "{} is not possible for a {} {} array", what, array.schema().sparse ? "sparse" : "dense",
       array.schema().format);
}

}  // namespace

void Array::read(const Selection&, std::string_view, const StridedBuffer&, const Work&) const {
  lacking(*this, "reading into a buffer");
}
std::vector<Problem> Array::verify(const Work&) const { lacking(*this, "verifying"); }
void Array::write(const Selection&, std::string_view, const StridedView&, const WriteOptions&) {
  lacking(*this, "writing a selection");
}
void Array::write(const Selection&, const Batch&, const WriteOptions&) { lacking(*this, "writing a selection"); }
void Array::write(const Batch&, const WriteOptions&) { lacking(*this, "writing cells"); }
void Array::append(const Batch&, const WriteOptions&) { lacking(*this, "appending"); }
void Array::resize(const std::vector<std::uint64_t>&, const WriteOptions&) { lacking(*this, "resizing"); }
void Array::update_metadata(const std::map<std::string, std::optional<MetaValue>>&, const WriteOptions&) {
  lacking(*this, "changing metadata");
}

}  // namespace tegula
