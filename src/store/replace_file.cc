#include "store/replace_file.h"

#include "base/current_work.h"
#include "base/fail.h"

namespace tegula {

void replace_file(Store& store, const std::string& key, const MakeFile& make) {
  constexpr int kMostTries = 1000;
  for (int tries = 1; tries <= kMostTries; ++tries) {
    CurrentWork::check();
    const StatedFile old = store.get_stated(key);
    const std::optional<Bytes> bytes = make(old.bytes ? std::optional<ByteView>(*old.bytes) : std::nullopt);
    if (!bytes) return;
    const ByteView whole = *bytes;
    if (store.put_if(key, std::span(&whole, 1), old.state)) return;
  }
  fail(ErrorKind::io, "'{}': others changed it {} times while it was being changed; try again later",
       store.describe(key), kMostTries);
}

}  // namespace tegula
