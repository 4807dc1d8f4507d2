// room: store
// The input is a zip archive. What opens is listed and read: ranges must agree with whole members.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "store/memory/memory_store.h"
#include "store/zip/zip_store.h"
#include "tegula/error.h"

namespace {

using namespace tegula;

void read_member(const Store& archive, const ListedFile& file) {
  constexpr std::uint64_t kMost = 1 << 20;
  if (file.size > kMost) return;
  std::optional<Bytes> bytes;
  try {
    bytes = archive.get(file.key);
  } catch (const Error&) {
    return;
  }
  if (!bytes || bytes->size() != file.size) std::abort();
  Bytes part(file.size / 2);
  RangeRead read{file.key, file.size - part.size(), part};
  archive.get(std::span(&read, 1));
  if (!std::equal(part.begin(), part.end(), bytes->end() - static_cast<std::ptrdiff_t>(part.size()))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::shared_ptr<Store> store = make_memory_store();
  store->put("x.zip", std::as_bytes(std::span(data, size)));
  std::shared_ptr<Store> archive;
  try {
    archive = open_zip_store(store, "x.zip", "");
  } catch (const Error&) {
    return 0;
  }
  const Listing listing = archive->list_all("", SIZE_MAX);
  for (const ListedFile& file : listing.files) read_member(*archive, file);
  std::vector<std::string> folders = {""};
  std::size_t files = 0;
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    for (const Entry& entry : archive->list(folder)) {
      if (entry.folder)
        folders.push_back(join(folder, entry.name));
      else
        ++files;
    }
  }
  if (files != listing.files.size()) std::abort();
  return 0;
}
