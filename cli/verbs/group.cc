// `tegula group create|add|remove`: groups and their members. `ls` and `tree` show them, `meta` works on them.
#include <algorithm>

#include "app/verbs.h"
#include "base/fail.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "run/opening.h"
#include "schema/schema_text.h"
#include "tegula/capabilities.h"
#include "text/format_names.h"
#include "text/json_writer.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri, format, member, name;
  OpenFlags open;
  bool absolute = false, dry_run = false;
};

void report(const Flags& flags, const Globals& globals, std::string_view done, std::string_view would,
            std::string_view subject) {
  if (globals.json) {
    JsonWriter json;
    json.begin('{').key("uri").text(flags.uri).key("dry_run").number(flags.dry_run);
    print(json.key(done).text(subject).end('}').line());
  } else if (flags.dry_run) {
    print(fmt::format("would {} {}\n", would, subject));
  } else if (!globals.quiet) {
    print(fmt::format("{}: {} {}\n", flags.uri, done, subject));
  }
}

int create(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Store> store = store_of(flags.uri, globals);
  if (probe(*store).kind != ObjectKind::none && !store->list("").empty() && flags.dry_run)
    fail(ErrorKind::invalid_argument, "'{}': there is something already", flags.uri);
  const std::string format = full_format(flags.format);
  if (!flags.dry_run) {
    CreateOptions options;
    options.work = globals.work;
    create_group(store, format, options);
  }
  report(flags, globals, "made", "make", family_text(format) + " group");
  return kOk;
}

bool is_member(const Group& group, const std::string& name) {
  const std::vector<Member> members = group.members();
  return std::any_of(members.begin(), members.end(),
                     [&](const Member& member) { return member.name == name || member.uri == name; });
}

int add(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Group> group = open_group(store_of(flags.uri, globals), flags.open.options(globals));
  if (probe(flags.member).kind == ObjectKind::none)
    fail(ErrorKind::not_found, "'{}' is neither an array nor a group; nothing was added", flags.member);
  if (!flags.name.empty() && is_member(*group, flags.name))
    fail(ErrorKind::invalid_argument, "'{}' has a member '{}' already", flags.uri, flags.name);
  if (!flags.dry_run) group->add(flags.member, flags.name, flags.absolute);
  report(flags, globals, "added", "add", flags.name.empty() ? flags.member : flags.name + " (" + flags.member + ")");
  return kOk;
}

int remove(const Flags& flags, const Globals& globals) {
  const std::shared_ptr<Group> group = open_group(store_of(flags.uri, globals), flags.open.options(globals));
  if (!is_member(*group, flags.member))
    fail(ErrorKind::not_found, "'{}' has no member '{}'; `tegula ls` shows what there is", flags.uri, flags.member);
  if (!flags.dry_run) group->remove(flags.member);
  report(flags, globals, "removed", "remove", flags.member);
  return kOk;
}

// Families whose newest format has groups can be named too.
std::vector<std::string> group_formats() {
  std::vector<std::string> out;
  for (const std::string_view format : formats()) {
    const Capabilities& can = capabilities(format);
    if (can.groups) out.emplace_back(format);
    if (can.groups && can.family != can.format && full_format(std::string(can.family)) == can.format)
      out.emplace_back(can.family);
  }
  return out;
}

}  // namespace

void describe_group(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.examples(
      "  tegula group create climate --format tiledb\n  tegula group add climate climate/temps --name temps\n"
      "  tegula group remove climate temps\n  tegula ls climate");
  const auto add_verb = [&](const char* name, const char* help, auto&& describe,
                            int (*run)(const Flags&, const Globals&)) {
    Verb sub = verb.verb(name, help);
    sub.argument("uri", flags->uri, "the group");
    describe(sub);
    sub.flag("--dry-run", flags->dry_run, "say what would change, and change nothing");
    sub.run([flags, run, &globals] { return run(*flags, globals); });
  };
  add_verb(
      "create", "make an empty group",
      [&](Verb& sub) {
        flags->format = "tiledb";
        sub.choice("--format", flags->format, group_formats(), "of the group (default: tiledb)");
      },
      create);
  add_verb(
      "add", "add an existing array or group (TileDB)",
      [&](Verb& sub) {
        sub.argument("member", flags->member, "where it is")
            .option("--name", flags->name, "NAME", "its name in the group (default: its URI)")
            .flag("--absolute", flags->absolute, "store the URI as given, even below the group");
      },
      add);
  add_verb(
      "remove", "remove a member from the group without deleting it (TileDB)",
      [&](Verb& sub) { sub.argument("member", flags->member, "its name"); }, remove);
}

}  // namespace tegula::cli
