// `tegula meta list|get|set|del`: metadata of arrays and groups.
#include "app/verbs.h"
#include "base/error_message.h"
#include "base/fail.h"
#include "base/utf8.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "run/opening.h"
#include "schema/meta_value.h"
#include "schema/metadata_text.h"
#include "tegula/capabilities.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, key, value, type;
  OpenFlags open;
  bool dry_run = false;
};

// An array or a group: one of the two is set.
struct Holder {
  std::shared_ptr<Array> array;
  std::shared_ptr<Group> group;

  Metadata metadata() const { return group ? group->metadata() : array->metadata(); }
  std::string_view format() const { return group ? group->format() : array->schema().format; }
  void update(const std::map<std::string, std::optional<MetaValue>>& changes, const Work& work) const {
    WriteOptions options;
    options.work = work;
    if (group)
      group->update_metadata(changes, options);
    else
      array->update_metadata(changes, options);
  }
};

Holder open_holder(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Store> store = store_of(flags.uri, globals);
  const OpenOptions options = flags.open.options(globals);
  if (probe(*store).kind == ObjectKind::group) return {nullptr, open_group(store, options)};
  return {open(store, options), nullptr};
}

int list(const Flags& flags, const Globals& globals) {
  const Metadata metadata = open_holder(flags, globals).metadata();
  if (globals.json) {
    JsonWriter json;
    write_metadata(json, metadata);
    print(json.line());
  } else {
    print(metadata_lines(metadata, ""));
  }
  return kOk;
}

int get(const Flags& flags, const Globals& globals) {
  const Metadata metadata = open_holder(flags, globals).metadata();
  const auto found = metadata.find(flags.key);
  if (found == metadata.end())
    fail(ErrorKind::not_found, "'{}' has no metadata '{}'; `tegula meta list` shows what there is", flags.uri,
         flags.key);
  std::string text = globals.json ? strict_meta_json(found->second) : meta_json(found->second);
  // Text prints as it is, unless JSON was asked for.
  if (!globals.json && !found->second.json && found->second.type.is_text() &&
      printable_utf8(text_of(found->second.data)))
    text = text_of(found->second.data);
  print(text + "\n");
  return kOk;
}

int change(const Flags& flags, const Holder& holder, std::optional<MetaValue> value, const Globals& globals) {
  if (!value && !holder.metadata().contains(flags.key))
    fail(ErrorKind::not_found, "'{}' has no metadata '{}'; nothing changed", flags.uri, flags.key);
  if (flags.dry_run) {
    print(
        fmt::format("would {} '{}'{}\n", value ? "set" : "remove", flags.key, value ? " to " + meta_json(*value) : ""));
    return kOk;
  }
  try {
    holder.update({{flags.key, std::move(value)}}, globals.work);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported || !is_plain_folder(*store_of(flags.uri, globals))) throw;
    fail(error.kind(), "{}: `tegula group create {}`", error_message(error), flags.uri);
  }
  return kOk;
}

int set(const Flags& flags, const Globals& globals) {
  const Holder holder = open_holder(flags, globals);
  if (!capabilities(holder.format()).typed_metadata && !decode_utf8(flags.key))
    fail(ErrorKind::invalid_argument, "the key is not UTF-8, and the metadata of {} is JSON text", holder.format());
  return change(flags, holder, meta_value(flags.value, flags.type, capabilities(holder.format()).typed_metadata),
                globals);
}

int remove(const Flags& flags, const Globals& globals) {
  return change(flags, open_holder(flags, globals), std::nullopt, globals);
}

}  // namespace

void describe_meta(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.examples(
      "  tegula meta list temps\n  tegula meta get temps units\n  tegula meta set temps units '\"K\"'\n  tegula meta "
      "set temps scale 0.01 --type float32\n  tegula meta del temps scale");
  const auto add = [&](const char* name, const char* help, auto&& describe, int (*run)(const Flags&, const Globals&)) {
    Verb sub = verb.verb(name, help);
    sub.argument("uri", flags->uri, "the array or group");
    describe(sub);
    flags->open.describe(sub);
    sub.run([flags, run, &globals] { return run(*flags, globals); });
  };
  add("list", "every key with its type and value", [](Verb&) {}, list);
  add("get", "one value", [&](Verb& sub) { sub.argument("key", flags->key, "its name"); }, get);
  add(
      "set", "set a value, written as JSON",
      [&](Verb& sub) {
        sub.argument("key", flags->key, "its name").argument("value", flags->value, "JSON; plain words are text");
        sub.option("--type", flags->type, "TYPE",
                   "TileDB: element type (default: int64, float64, utf8 or bool by the value)");
        sub.flag("--dry-run", flags->dry_run, "say what would change, and change nothing");
      },
      set);
  add(
      "del", "remove a value",
      [&](Verb& sub) {
        sub.argument("key", flags->key, "its name")
            .flag("--dry-run", flags->dry_run, "say what would change, and change nothing");
      },
      remove);
}

}  // namespace tegula::cli
