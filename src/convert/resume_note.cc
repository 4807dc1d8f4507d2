#include "convert/resume_note.h"

#include "base/fail.h"
#include "base/json.h"

namespace tegula {

std::optional<ConversionRecord> read_conversion(const Store& store) {
  const std::optional<Bytes> file = store.get(kConversionKey);
  if (!file) return std::nullopt;
  try {
    const Json json = parse_json(*file, store.describe(kConversionKey));
    ConversionRecord record;
    record.source = json.at("source").get<std::string>();
    record.target = json.at("target").get<std::string>();
    record.block_cells = json.at("block_cells").get<std::uint64_t>();
    record.blocks = json.at("blocks").get<std::uint64_t>();
    record.done = json.at("done").get<std::uint64_t>();
    return record;
  } catch (const Json::exception& error) {
    fail(ErrorKind::corrupt, "{} is no note of a conversion: {}", store.describe(kConversionKey), error.what());
  }
}

void write_conversion(Store& store, const ConversionRecord& record) {
  const Json json = {{"source", record.source},
                     {"target", record.target},
                     {"block_cells", record.block_cells},
                     {"blocks", record.blocks},
                     {"done", record.done}};
  store.put_text(kConversionKey, dump_json(json) + "\n");
}

void end_conversion(Store& store) {
  store.remove(kConversionKey);
  store.sync_folder("");
}

}  // namespace tegula
