// Results of queries as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>

#include "call.h"
#include "tegula/array.h"
#include "tegula/schema.h"

namespace tegula::python {

// A batch owned by Python. Views of its memory keep it alive.
struct Result {
  std::shared_ptr<const Batch> batch;
  std::shared_ptr<const Schema> schema;  // of the array, for enumerations
};

// Bytes of a batch, through the buffer protocol.
struct View {
  std::shared_ptr<const Batch> owner;
  ByteView bytes;
};

// An open query. Threads may share it; each takes the next batch.
class Stream {
 public:
  Stream(std::shared_ptr<const Array> array, std::shared_ptr<const Schema> schema, std::unique_ptr<BatchStream> stream,
         Query query)
      : array_(std::move(array)), schema_(std::move(schema)), stream_(std::move(stream)), query_(std::move(query)) {}

  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  // Empty when there are no more.
  std::shared_ptr<const Batch> next();
  std::shared_ptr<const Batch> collect();
  // The columns of the result without cells, for a query that found nothing.
  Batch empty() const;

 private:
  std::shared_ptr<const Array> array_;
  std::shared_ptr<const Schema> schema_;
  std::unique_ptr<BatchStream> stream_;
  Query query_;
  std::mutex mutex_;
};

void describe_batches(nb::module_& module);

}  // namespace tegula::python
