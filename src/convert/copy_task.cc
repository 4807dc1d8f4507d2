#include "convert/copy_task.h"

#include <algorithm>

#include "base/fail.h"

namespace tegula {

Work quiet(const Work& work) {
  Work out = work;
  out.progress = nullptr;
  return out;
}

void keep_note(const CopyTask& task) {
  if (task.store) write_note(*task.store, task.note);
}

void check_blocks(const CopyTask& task, std::uint64_t blocks) {
  if (task.resumed && task.note.blocks != blocks)
    fail(ErrorKind::invalid_argument,
         "'{}' is an unfinished conversion of {} blocks, and this one has {}; overwrite it to start again",
         task.store->describe(""), task.note.blocks, blocks);
  task.note.blocks = blocks;
}

std::uint64_t cell_bytes(const Schema& schema) {
  std::uint64_t bytes = 1;
  for (const Attribute& a : schema.attributes) bytes += std::max<std::uint64_t>(a.cell_size(), 16);
  return bytes;
}

}  // namespace tegula
