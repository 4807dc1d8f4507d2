#include "tegula/array.h"

#include "base/fail.h"

namespace tegula {

namespace {

[[noreturn]] void lacking(const Array& array, std::string_view what) {
  fail(ErrorKind::unsupported, "{} is not possible for a {} {} array", what, array.schema().sparse ? "sparse" : "dense",
       array.schema().format);
}

[[noreturn]] void lacking(const Group& group, std::string_view what) {
  fail(ErrorKind::unsupported, "{} is not possible for a {} group", what, group.format());
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
std::unique_ptr<CellWriter> Array::write_stream(const std::optional<Selection>&, const WriteOptions&) {
  lacking(*this, "writing a stream of cells");
}
void Array::append(const Batch&, const WriteOptions&) { lacking(*this, "appending"); }
void Array::resize(const std::vector<std::uint64_t>&, const WriteOptions&) { lacking(*this, "resizing"); }
void Array::update_metadata(const std::map<std::string, std::optional<MetaValue>>&, const WriteOptions&) {
  lacking(*this, "changing metadata");
}

void Group::add(const std::string&, std::string_view, bool) { lacking(*this, "adding a member"); }
void Group::remove(std::string_view) { lacking(*this, "removing a member"); }
void Group::consolidate(const WriteOptions&) { lacking(*this, "consolidated metadata"); }
std::vector<Problem> Group::verify(const Work&) const { return {}; }
void Group::update_metadata(const std::map<std::string, std::optional<MetaValue>>&, const WriteOptions&) {
  lacking(*this, "changing metadata");
}

}  // namespace tegula
