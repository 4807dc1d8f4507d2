#include "format/bcolz/writer_lock.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "base/current_work.h"
#include "base/fail.h"

namespace tegula::bcolz {

namespace {

constexpr std::chrono::milliseconds kFirstPause{50}, kLongestPause{1000};
constexpr std::size_t kLongestClaim = 200;  // that is shown

// Another one each time: after a lost answer it tells our file from that of somebody else.
std::string new_claim() {
  std::random_device random;
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const std::tm utc = fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  return fmt::format("process {} of {} since {:%Y-%m-%dT%H:%M:%SZ}, {:08x}{:08x}\n", ::getpid(), host, utc, random(),
                     random());
}

}  // namespace

WriterLock::WriterLock(std::shared_ptr<Store> store, Others others, std::chrono::milliseconds patience)
    : store_(std::move(store)), lock_(hold_folder(*store_, "")) {
  const StoreHints hints = store_->hints();
  if (lock_ || !hints.remote() || !hints.conditional || !hints.writes) return;
  const std::string claim = new_claim();
  const ByteView text = bytes_of(claim);
  const auto give_up = std::chrono::steady_clock::now() + patience;
  std::string state;  // of the file that is replaced
  for (auto pause = kFirstPause; !store_->put_if(kWriterFile, std::span(&text, 1), state);
       pause = std::min(2 * pause, kLongestPause)) {
    const StatedFile theirs = store_->get_stated(kWriterFile);
    state = others == Others::gone ? theirs.state : "";
    if (!theirs.bytes || others == Others::gone) continue;
    if (std::chrono::steady_clock::now() + pause > give_up) {
      std::string who(text_of(*theirs.bytes).substr(0, kLongestClaim));
      while (who.ends_with('\n')) who.pop_back();
      fail(ErrorKind::io,
           "'{}': somebody else is changing the array ({}); try again later, or, if that writer has died, repair the "
           "array",
           store_->describe(kWriterFile), who);
    }
    CurrentWork::check();
    std::this_thread::sleep_for(pause);
  }
  claim_ = claim;
}

WriterLock::~WriterLock() {
  if (claim_.empty()) return;
  try {
    // Also when the work is cancelled. A repair may have given the file to somebody else.
    const Cancel never;
    Work work;
    work.cancel = &never;
    const CurrentWork to_the_end(work);
    const std::optional<Bytes> now = store_->get(kWriterFile);
    if (now && text_of(*now) == claim_) store_->remove(kWriterFile);
  } catch (...) {
    // The file stays, and the next writer says so; a destructor has nobody to tell.
  }
}

}  // namespace tegula::bcolz
