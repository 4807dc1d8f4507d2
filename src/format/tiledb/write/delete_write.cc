#include "format/tiledb/write/delete_write.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/disk/delete_condition.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/listing/commit_files.h"
#include "format/tiledb/write/evolve.h"
#include "query/condition/condition.h"

namespace tegula::tiledb {

namespace {

// Refuses conditions that libtiledb, once they are stored, does not apply as they say.
void check_test(const ConditionTree& test, const Snapshot& snapshot, bool as_libtiledb) {
  if (test.op == CompareOp::always_true || test.op == CompareOp::always_false)
    fail(ErrorKind::invalid_argument, "'{}' is compared with a value that its enumeration lacks", test.field);
  if (test.null)
    fail(ErrorKind::unsupported,
         "a delete cannot ask whether '{}' is null: libtiledb takes the test for one with an empty value and cannot "
         "read "
         "the array afterwards",
         test.field);
  const FieldInfo* field = snapshot.field(test.field);
  if (field && field->var() && test.value.empty() && test.op != CompareOp::in && test.op != CompareOp::not_in)
    fail(ErrorKind::unsupported, "a delete cannot compare '{}' with the empty text: it reads as a test for null",
         test.field);
  if (as_libtiledb) return;
  if (field && field->nullable)
    fail(ErrorKind::unsupported,
         "a delete that compares the nullable attribute '{}' also deletes its nulls; ask for libtiledb's behaviour to "
         "have that",
         test.field);
  for (const auto& fragment : snapshot.fragments({}))
    if (!fragment->field(test.field))
      fail(ErrorKind::unsupported,
           "fragment {} was written before there was an attribute '{}', and the delete would remove all of it; ask for "
           "libtiledb's behaviour to have that",
           fragment->name(), test.field);
}

void check_tests(const ConditionTree& tree, const Snapshot& snapshot, bool as_libtiledb) {
  if (tree.kind == ConditionTree::Kind::compare) return check_test(tree, snapshot, as_libtiledb);
  for (const ConditionTree& child : tree.children) check_tests(child, snapshot, as_libtiledb);
}

}  // namespace

void write_delete(const WriteTarget& target, const Snapshot& snapshot, std::string_view where, std::uint64_t time,
                  bool as_libtiledb) {
  const ArraySchema& schema = *target.schema;
  if (!schema.sparse) fail(ErrorKind::unsupported, "only sparse arrays have deletes");
  if (!has_processed_conditions(schema.version))
    fail(ErrorKind::unsupported, "deletes exist from format version 16 on, the array has version {}", schema.version);
  const Condition condition = Condition::bind(where, snapshot.fields(), Rules::tiledb);
  if (condition.empty()) fail(ErrorKind::invalid_argument, "a delete needs a condition");
  // The file holds the condition of the cells that stay.
  StoredCondition stored{condition.negated().tree(), {}};
  check_tests(stored.stays, snapshot, as_libtiledb);
  Bytes payload;
  encode_condition(stored, false, payload);
  const std::uint32_t version = written_version(schema);
  put_payload(*target.store, join(kCommitsFolder, make_timed_name(time, time, make_ordered_uuid(), version) + ".del"),
              payload, version, target.key);
}

std::vector<std::string> remove_fragments(Store& store, std::uint64_t first, std::uint64_t last) {
  const TimeWindow window{first, last};
  std::vector<FragmentEntry> removed = list_array(store).fragments;
  std::erase_if(removed, [&](const FragmentEntry& e) { return !window.contains(e.time.first, e.time.last); });
  std::vector<std::string> names;
  for (const FragmentEntry& entry : removed) names.push_back(entry.name);
  remove_together(store, removed);
  return names;
}

}  // namespace tegula::tiledb
