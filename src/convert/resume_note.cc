#include "convert/resume_note.h"

#include "base/fail.h"
#include "base/json.h"

namespace tegula {

std::optional<ResumeNote> read_note(const Store& store) {
  const std::optional<Bytes> file = store.get(kConversionKey);
  if (!file) return std::nullopt;
  try {
    const Json json = parse_json(*file, store.describe(kConversionKey));
    ResumeNote note;
    note.source = json.at("source").get<std::string>();
    note.target = json.at("target").get<std::string>();
    note.block_cells = json.at("block_cells").get<std::uint64_t>();
    note.blocks = json.at("blocks").get<std::uint64_t>();
    note.done = json.at("done").get<std::uint64_t>();
    return note;
  } catch (const Json::exception& error) {
    fail(ErrorKind::corrupt, "{} is no note of a conversion: {}", store.describe(kConversionKey), error.what());
  }
}

void write_note(Store& store, const ResumeNote& note) {
  const Json json = {{"source", note.source},
                     {"target", note.target},
                     {"block_cells", note.block_cells},
                     {"blocks", note.blocks},
                     {"done", note.done}};
  store.put_text(kConversionKey, dump_json(json) + "\n");
}

void remove_note(Store& store) {
  store.remove(kConversionKey);
  store.sync_folder("");
}

}  // namespace tegula
