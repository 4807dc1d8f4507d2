#include "arrow_capsules.h"

#include <cerrno>

#include "batch.h"
#include "query/columns/gather.h"
#include "tegula/error.h"

namespace tegula::python {

namespace {

using arrow::export_batch;
using arrow::export_schema;
using arrow::Owned;

// A consumer that takes the struct sets its `release` to null.
template <class T>
nb::object capsule(Owned<T> owned, const char* name) {
  const auto destroy = [](PyObject* object) {
    Owned<T>(static_cast<T*>(PyCapsule_GetPointer(object, PyCapsule_GetName(object))));
  };
  nb::object out = nb::steal(PyCapsule_New(owned.get(), name, destroy));
  if (!out.is_valid()) throw nb::python_error();
  owned.release();
  return out;
}

// Consumers call from any thread and without the interpreter lock; nothing here touches Python.
struct Pull {
  std::shared_ptr<Stream> stream;
  std::shared_ptr<const Batch> first;
  Batch like;  // the columns without cells
  bool started = false;
  std::string error;

  void start() {
    if (started) return;
    first = stream->next();
    if (first)
      for (const Column& column : first->columns) like.columns.push_back(empty_like(column));
    else
      like = stream->empty();
    started = true;
  }
};

template <class F>
int guarded(ArrowArrayStream* self, F&& body) {
  auto& pull = *static_cast<Pull*>(self->private_data);
  try {
    pull.start();
    body(pull);
    return 0;
  } catch (const std::bad_alloc&) {
    pull.error = "out of memory";
    return ENOMEM;
  } catch (const Error& error) {
    pull.error = error.what();
    return error.kind() == ErrorKind::unsupported ? ENOTSUP : EIO;
  } catch (const std::exception& error) {
    pull.error = error.what();
    return EIO;
  }
}

template <class T>
void hand_over(Owned<T> from, T* to) {
  *to = *from;
  from->release = nullptr;
}

int get_schema(ArrowArrayStream* self, ArrowSchema* out) {
  return guarded(self, [&](Pull& pull) { hand_over(export_schema(pull.like, *pull.stream->schema()), out); });
}

int get_next(ArrowArrayStream* self, ArrowArray* out) {
  return guarded(self, [&](Pull& pull) {
    const std::shared_ptr<const Batch> batch = pull.first ? std::move(pull.first) : pull.stream->next();
    pull.first = nullptr;
    *out = {};
    if (batch) hand_over(export_batch(batch, *pull.stream->schema()).array, out);
  });
}

const char* get_last_error(ArrowArrayStream* self) { return static_cast<Pull*>(self->private_data)->error.c_str(); }

void release(ArrowArrayStream* self) {
  delete static_cast<Pull*>(self->private_data);
  self->release = nullptr;
}

}  // namespace

nb::object arrow_schema_capsule(const Batch& batch, const Schema& schema) {
  return capsule(export_schema(batch, schema), "arrow_schema");
}
nb::object capsule_of(arrow::Owned<ArrowSchema> schema) { return capsule(std::move(schema), "arrow_schema"); }
nb::object capsule_of(arrow::Owned<ArrowArray> array) { return capsule(std::move(array), "arrow_array"); }

nb::object stream_capsule(std::shared_ptr<Stream> stream) {
  auto* pull = new Pull{std::move(stream), nullptr, {}, false, {}};
  return capsule(Owned<ArrowArrayStream>(new ArrowArrayStream{get_schema, get_next, get_last_error, release, pull}),
                 "arrow_array_stream");
}

}  // namespace tegula::python
