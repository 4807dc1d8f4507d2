// Every operation of the sample arrays, as functions of the store that holds one.
#pragma once

#include "convert/compare.h"
#include "convert/convert.h"
#include "format/tiledb/listing/uncommitted.h"
#include "model/strided.h"
#include "store/memory/memory_store.h"
#include "store/wrap/failing_store.h"
#include "store/wrap/sub_store.h"
#include "support/array_text.h"
#include "support/sample_arrays.h"
#include "tegula/bcolz.h"
#include "tegula/capabilities.h"
#include "tegula/error.h"

namespace tegula::testing {

using StorePointer = std::shared_ptr<Store>;

struct SampleOperation {
  enum class Kind : std::uint8_t {
    answer,  // run() returns what it found
    verify,  // run() returns problems
    change,  // the array is as before or as after it, even when it fails
    repair,  // a change that believes what it finds: a file that is gone is gone
  };
  std::string name;
  Kind kind = Kind::answer;
  std::function<std::string(const StorePointer&)> run;
  std::function<void(const StorePointer&)> prepare = [](const StorePointer&) {};
  bool in_steps = false;        // chunks or documents change one after the other
  bool trusts_absence = false;  // the format allows that what it reads is absent
  bool trusts_size = false;     // it reads files without looking into them
};

// A chunk that is not there is an error, also where the format would read the fill value.
inline std::shared_ptr<Array> open_sample(const StorePointer& store) {
  OpenOptions options;
  options.work = one_thread();
  options.missing = Missing::error;
  return open(store, options);
}

inline std::string cells_text(const Array& array) {
  Query query;
  query.work = one_thread();
  return schema_line(array.schema()) + answer_text(array, query);
}

inline std::string aggregates_text(const Array& array) {
  const std::string& field = array.schema().attributes[0].name;
  Query query;
  query.work = one_thread();
  query.aggregates = {{"n", AggregateOp::count, ""},
                      {"s", AggregateOp::sum, field},
                      {"m", AggregateOp::min, field},
                      {"x", AggregateOp::max, field}};
  return answer_text(array, query);
}

inline std::string read_text(const Array& array) {
  const Attribute& attribute = array.schema().attributes[0];
  const std::vector<std::uint64_t> shape = array.schema().shape();
  Bytes out(cell_count(shape) * attribute.cell_size());
  array.read({}, attribute.name, {out.data(), shape, contiguous_strides(shape, attribute.cell_size())}, one_thread());
  return hex(out);
}

inline std::string info_text(const Array& array) {
  const Info info = array.info(one_thread());
  std::string text = fmt::format("{} bytes, {} of {} chunks, {} fragments", info.stored_bytes, info.chunks_present,
                                 info.chunks_expected, info.fragments.size());
  for (const FieldSize& field : info.fields) text += fmt::format(", {} {} {}", field.name, field.stored, field.decoded);
  for (const FragmentInfo& fragment : info.fragments) text += fmt::format(", {} cells", fragment.cells);
  return text;
}

// What `tegula repair` removes.
inline void remove_uncommitted(Store& store) {
  for (const std::string& folder : tiledb::uncommitted_fragments(store)) store.remove_tree(folder);
}

class SampleOperations {
 public:
  using Kind = SampleOperation::Kind;

  explicit SampleOperations(const SampleArray& sample) : schema_(sample.schema) {
    add_answers();
    if (schema_.format == "tiledb")
      add_tiledb();
    else if (schema_.format == "bcolz")
      add_bcolz();
    else
      add_zarr();
  }
  std::vector<SampleOperation> take() { return std::move(all_); }

 private:
  SampleOperation& answer(const char* name, std::string (*ask)(const Array&)) {
    all_.push_back({name, Kind::answer, [ask](const StorePointer& store) { return ask(*open_sample(store)); }});
    return all_.back();
  }
  SampleOperation& change(const char* name, std::function<void(Array&)> act) {
    all_.push_back({name, Kind::change, [act](const StorePointer& store) {
                      act(*open_sample(store));
                      return std::string();
                    }});
    return all_.back();
  }

  void add_answers() {
    answer("open", [](const Array& array) { return schema_line(array.schema()); });
    // Attributes are a file that need not be there, unless they are part of a document that must.
    const bool optional_attributes = schema_.format != "tiledb" && schema_.format != "zarr3";
    answer("metadata", [](const Array& array) { return metadata_text(array.metadata()); }).trusts_absence =
        optional_attributes;
    SampleOperation& info = answer("info", info_text);
    info.trusts_absence = info.trusts_size = true;
    answer("query", cells_text);
    answer("where", [](const Array& array) {
      Query query;
      query.work = one_thread();
      query.where = fmt::format(
          "{} > 1005", array.schema().attributes[0].name.empty() ? "value" : array.schema().attributes[0].name);
      return answer_text(array, query);
    });
    answer("aggregates", aggregates_text);
    if (!schema_.sparse) answer("read", read_text);
    all_.push_back({"verify", Kind::verify,
                    [](const StorePointer& store) { return problems_text(open_sample(store)->verify(one_thread())); }});
    all_.push_back({"convert from", Kind::answer, [](const StorePointer& store) {
                      const auto source = open_sample(store);
                      ConvertOptions options;
                      options.lossy = true;
                      options.target.format = source->schema().format == "zarr2" ? "zarr3" : source->schema().format;
                      return cells_text(*convert(*source, make_memory_store(), options, one_thread()).array);
                    }});
    change("metadata changes", [](Array& array) {
      array.update_metadata(sample_metadata("new", 'n'), written_at(0));
    }).trusts_absence = optional_attributes;
  }

  void add_tiledb() {
    const auto some = [schema = schema_](Array& array) {
      if (schema.sparse)
        array.write(sample_cells(schema, 9, 7, 4, 2), written_at(200));
      else
        array.write(sample_box(2, 30), sample_cells(schema, 30, 7), written_at(200));
    };
    change("write", some);
    change("stream", [schema = schema_](Array& array) {
      const auto writer = schema.sparse ? array.write_stream({}, written_at(200))
                                        : array.write_stream(sample_box(0, 40), written_at(200));
      writer->write(sample_cells(schema, 40, 8, 0, 2));
      writer->commit();
    });
    change("evolve", [](Array& array) {
      tiledb::evolve(array, {.add_attributes = {sample_attribute("n", TypeId::int16)}}, written_at(200));
    });
    change("delete fragments", [](Array& array) { tiledb::delete_fragments(array, 115, 125); });
    if (schema_.sparse)
      change("delete cells", [](Array& array) { tiledb::delete_cells(array, "a > 1005", written_at(200)); });
    using tiledb::Part;
    for (const auto& [name, part] : {std::pair{"fragments", Part::fragments},
                                     {"fragment_metadata", Part::fragment_metadata},
                                     {"commits", Part::commits},
                                     {"array_metadata", Part::array_metadata}}) {
      const auto merge = [kind = part](Array& array) {
        tiledb::ConsolidateOptions options;
        options.part = kind;
        options.work = one_thread();
        tiledb::consolidate(array, options);
      };
      const auto clean = [kind = part](Array& array) {
        tiledb::VacuumOptions options;
        options.part = kind;
        options.work = one_thread();
        tiledb::vacuum(array, options);
      };
      change("consolidate", merge).name += std::string(" ") + name;
      SampleOperation& vacuum = change("vacuum", clean);
      vacuum.name += std::string(" ") + name;
      vacuum.prepare = [merge](const StorePointer& store) { merge(*open(store)); };
    }
    all_.push_back({"repair", Kind::change, [](const StorePointer& store) {
                      remove_uncommitted(*store);
                      return std::string();
                    }});
  }

  void add_bcolz() {
    const auto append = [schema = schema_](Array& array) { array.append(sample_cells(schema, 21, 7), written_at(0)); };
    change("append", append);
    change("grow", [](Array& array) { array.resize({57}, written_at(0)); });
    change("shrink", [](Array& array) { array.resize({19}, written_at(0)); });
    const auto set = [](Array& array) {
      const std::vector<std::int32_t> values(30, 77);
      array.write(sample_box(2, 30), array.schema().attributes[0].name,
                  {reinterpret_cast<const std::byte*>(values.data()), {30}, {4}}, written_at(0));
    };
    change("set", set);
    // Chunks that were set together and not all of which are in place yet.
    const auto stopped = [set](const StorePointer& store) {
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = 7;
      try {
        set(*open_sample(failing_store(store, plan)));
      } catch (const Error&) {
        return;
      }
      throw std::logic_error("the change was not stopped");
    };
    all_.push_back({"query of a stopped change", Kind::answer,
                    [](const StorePointer& store) { return cells_text(*open_sample(store)); }, stopped});
    change("append after a stopped change", append).prepare = stopped;
    // A chunk file that is neither the old nor the new one is somebody else's change, which stays.
    for (SampleOperation* operation : {&all_.back(), &all_.back() - 1})
      operation->trusts_absence = operation->trusts_size = true;
    if (schema_.table) {
      change("add column", [](Array& array) {
        bcolz::add_column(array, sample_attribute("n", TypeId::int32), Column{}, written_at(0));
      });
      change("drop column", [](Array& array) { bcolz::drop_column(array, "b", written_at(0)); });
      change("rename column", [](Array& array) { bcolz::rename_column(array, "b", "c", written_at(0)); }).trusts_size =
          true;
    }
    SampleOperation& repair = change("repair", [](Array& array) { bcolz::repair(array, one_thread()); });
    repair.kind = Kind::repair;
  }

  void add_zarr() {
    change("append", [schema = schema_](Array& array) { array.append(sample_cells(schema, 21, 7), written_at(0)); });
    change("grow", [](Array& array) { array.resize({57}, written_at(0)); });
    change("shrink", [](Array& array) { array.resize({19}, written_at(0)); }).in_steps = true;
    change("write", [schema = schema_](Array& array) {
      array.write(sample_box(2, 30), sample_cells(schema, 30, 7), written_at(0));
    });
    all_.back().in_steps = all_.back().trusts_absence = true;
  }

  Schema schema_;
  std::vector<SampleOperation> all_;
};

}  // namespace tegula::testing
