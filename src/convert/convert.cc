#include "convert/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "convert/block_copy.h"
#include "convert/cell_types.h"
#include "convert/fragment_copy.h"
#include "convert/metadata.h"
#include "convert/resume_note.h"
#include "convert/written_boxes.h"
#include "format/registry/overwrite.h"
#include "format/registry/registry.h"
#include "store/open/location.h"

namespace tegula {

namespace {

// Null cells of a column become the fill value; the column is no longer nullable.
void drop_nulls(Column& column, const Attribute& to) {
  if (!column.nullable) return;
  const std::uint64_t size = column.cell_size();
  for (std::size_t i = 0; i < column.validity.size() && !column.var(); ++i)
    if (!column.valid(i) && to.fill.size() == size)
      std::copy(to.fill.begin(), to.fill.end(), column.data.begin() + static_cast<std::ptrdiff_t>(i * size));
  column.nullable = false;
  column.validity.clear();
}

// "zarr3 [400, 600] by [100, 100]: value float32 blosc:lz4:5:shuffle".
std::string describe_target(const Schema& schema) {
  std::string text = fmt::format("{} v{}", schema.format, schema.format_version);
  for (const Dimension& d : schema.dimensions) text += fmt::format(" {}:{}", d.name, display_name(d.type));
  if (!schema.sparse && !schema.table)
    text += fmt::format(" [{}] by [{}]", fmt::join(schema.shape(), ", "), fmt::join(schema.chunks(), ", "));
  for (const Attribute& a : schema.attributes) {
    text += fmt::format("; {} {} x{}", a.name, display_name(a.type), a.values_per_cell);
    for (const Filter& filter : a.filters) text += " " + display_name(filter);
  }
  return text;
}

// Every write to the source changes its fingerprint.
std::string describe_source(const Array& source, const std::string& name, const Work& work) {
  Work quiet = work;
  quiet.progress = nullptr;
  const Info info = source.info(quiet);
  const std::string last = info.fragments.empty() ? "" : ", last " + info.fragments.back().name;
  const auto store_of = driver_of(source).store_of;
  const std::uint64_t files = store_of ? fingerprint(store_of(source)) : 0;
  return fmt::format("{} ({} bytes, {} fragments{}, files {:016x})", name, info.stored_bytes, info.fragments.size(),
                     last, files);
}

// Opens what was just made, or is still being made.
std::shared_ptr<Array> reopen(const std::shared_ptr<Store>& store, const ConvertOptions& options) {
  OpenOptions open_options;
  open_options.key = options.create.key;
  open_options.work = options.create.work;
  open_options.unfinished = true;
  return open(store, open_options);
}

// The target of an interrupted run of the same conversion, or null when there is none. Throws when it is another one
// and `only` is set.
std::shared_ptr<Array> unfinished(const std::shared_ptr<Store>& store, const ConvertOptions& options,
                                  ResumeNote& wanted, bool only) {
  const std::optional<ResumeNote> note = read_note(*store);
  if (!note) return nullptr;
  const bool same = note->source == wanted.source && note->target == wanted.target;
  if (!same && !only) return nullptr;
  if (!same)
    fail(
        ErrorKind::invalid_argument,
        "'{}' is an unfinished conversion that differs from this one, or its source has changed; overwrite it to start "
        "anew\n  it was {} -> {}\n  this is {} -> {}",
        store->describe(""), note->source, note->target, wanted.source, wanted.target);
  wanted = *note;
  return reopen(store, options);
}

// Whether the copy is to take the place of its source. Throws when one lies inside the other.
bool onto_itself(const Array& source, const Store& target, bool overwrite) {
  const auto store_of = driver_of(source).store_of;
  if (!store_of || !overlap(store_of(source), target)) return false;
  const bool same = same_place(store_of(source), target);
  if (!same || !overwrite)
    fail(ErrorKind::invalid_argument, "'{}' {}; the copy has to go elsewhere{}", target.describe(""),
         same ? "is the source" : "lies inside the source or contains it", same ? ", or overwrite it" : "");
  return true;
}

// Puts the copy in the place of what was there. Where that is the source, and where it was asked for, they have been
// compared.
void put_in_place(Replacement& replacement, const Converted& made, const std::string& where, const Work& work) {
  if (made.compared && !made.compared->same()) {
    replacement.discard();
    fail(ErrorKind::corrupt,
         "the copy that was to replace '{}' differs from its source in {} of {} values{}; nothing was replaced", where,
         made.compared->different, made.compared->cells,
         made.compared->schema.empty() ? "" : ": " + made.compared->schema.front());
  }
  replacement.take_place(work);
}

// The value that stands for missing ones, as the target says it.
void carry_missing(const Array& source, const Driver& driver, Schema& to,
                   std::map<std::string, std::optional<MetaValue>>& metadata) {
  constexpr const char* kEntry = "_FillValue";
  const auto ask = driver_of(source).missing_value;
  std::optional<MetaValue> value;
  if (ask) {
    value = ask(source);
  } else if (const Metadata own = source.metadata(); own.contains(kEntry)) {
    value = metadata_for({{kEntry, own.at(kEntry)}}, driver.formats.back().capabilities.format)[kEntry];
    if (!value->json) value.reset();
  }
  if (!value) return;
  if (driver.mark_missing)
    driver.mark_missing(to, *value, metadata);
  else
    metadata[kEntry] = metadata_for({{kEntry, *value}}, to.format)[kEntry];
}

}  // namespace

void shape_column(Column& column, const Attribute& to) {
  if (!to.nullable) drop_nulls(column, to);
  as_type(column, to);
  column.name = to.name;
}

Converted convert(const Array& source, std::shared_ptr<Store> store, const ConvertOptions& options, const Work& work) {
  Target target = plan_target(source, options.target);
  if (!target.losses.empty() && !options.lossy) fail(ErrorKind::unsupported, "{}", losses_text(target));
  const std::shared_ptr<Store> place = std::move(store);
  const bool own = onto_itself(source, *place, options.create.overwrite);
  const bool rows = target.schema.table || target.schema.sparse;
  const Driver& driver = find_format(target.schema.format).driver;
  const CopyHooks& hooks = driver.copy;
  const CopySource from{source, target.sources};
  const bool same_family = &driver_of(source) == &driver;
  const bool rows_fit = same_family && hooks.rows_fit && hooks.rows_fit(from, target.schema);
  const std::string wanted = describe_target(target.schema);
  // Rows are appended, also those that are copied without decoding.
  if ((target.schema.table || rows_fit) && !target.schema.dimensions.empty()) target.schema.dimensions[0].domain = {};
  auto metadata = metadata_for(source.metadata(), target.schema.format);
  carry_missing(source, driver, target.schema, metadata);
  ResumeNote note;
  note.source = describe_source(source, options.source_name, work);
  note.target = wanted;
  Converted out;
  out.losses = target.losses;
  std::unique_ptr<Replacement> replacement;
  if (options.create.overwrite && is_replaceable(*place)) replacement = begin_replacement(place);
  store = replacement ? replacement->store() : place;
  CreateOptions create_options = options.create;
  if (replacement || !create_options.overwrite) out.array = unfinished(store, options, note, !replacement);
  out.resumed = out.array != nullptr;
  if (replacement && !out.resumed) replacement->clear();
  if (replacement) create_options.overwrite = false;
  if (!out.array) out.array = create(store, target.schema, create_options);
  std::vector<CellBox> boxes;
  if (!rows) boxes = boxes_to_copy(source, target.sources, out.array->schema(), work);
  const bool may_pass = !options.target.filters;
  const CopyTask task{from,     *out.array, boxes, store.get(), note, out.resumed, options.fragment_bytes,
                      may_pass, out.passed, work};
  const bool chunks_fit = same_family && !rows && may_pass && hooks.chunks_fit && hooks.chunks_fit(from, *out.array);
  if (rows_fit || chunks_fit) {
    if (!out.resumed) write_note(*store, note);
    out.passed = hooks.copy_stored(from, *out.array, *store, work);
  } else if (hooks.fragments) {
    if (target.schema.sparse)
      copy_sparse_fragments(task);
    else
      copy_dense_fragments(task);
  } else if (rows) {
    copy_rows(task);
  } else {
    copy_dense_blocks(task);
  }
  if (!metadata.empty()) {
    WriteOptions write;
    write.work = work;
    out.array->update_metadata(metadata, write);
  }
  remove_note(*store);
  if (options.verify || own) out.compared = compare_copy(source, target, *reopen(store, options), work);
  if (replacement) {
    put_in_place(*replacement, out, place->describe(""), work);
    out.array = reopen(place, options);
  }
  return out;
}

}  // namespace tegula
