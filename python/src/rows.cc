#include "rows.h"

#include "base/fail.h"
#include "query/run/table_query.h"
#include "tegula/capabilities.h"

namespace tegula::python {

namespace {

class ArrayRows final : public RowSource {
 public:
  explicit ArrayRows(std::shared_ptr<const Array> array)
      : array_(std::move(array)), schema_(array_->schema()), rows_(schema_.shape().at(0)) {
    for (const Attribute& attribute : schema_.attributes) fields_.push_back(field_info(attribute, schema_));
    if (const std::uint64_t tile = schema_.chunks().at(0)) block_ = std::max<std::uint64_t>(tile, block_);
  }

  std::uint64_t rows() const override { return rows_; }
  const std::vector<FieldInfo>& fields() const override { return fields_; }
  std::uint64_t block_rows() const override { return block_; }

  void read_rows(std::size_t field, std::uint64_t first, std::uint64_t count, Column& out) const override {
    Query query;
    query.fields = {fields_[field].name};
    query.select.emplace();
    query.select->axes.emplace_back(
        Slice{static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count), 1});
    const std::unique_ptr<BatchStream> stream = array_->query(query);
    Batch batch = collect(*stream);
    if (batch.columns.size() != 1 || batch.cells != count)
      fail(ErrorKind::corrupt, "{} rows of '{}' were read instead of {}", batch.cells, fields_[field].name, count);
    out = std::move(batch.columns[0]);
  }

 private:
  std::shared_ptr<const Array> array_;
  Schema schema_;
  std::uint64_t rows_, block_ = 65536;
  std::vector<FieldInfo> fields_;
};

}  // namespace

std::unique_ptr<BatchStream> query_rows(std::shared_ptr<const Array> array, const Query& query) {
  const Rules rules = capabilities(*array).numpy_types ? Rules::numpy : Rules::tiledb;
  return query_table(std::make_shared<ArrayRows>(std::move(array)), query, rules);
}

}  // namespace tegula::python
