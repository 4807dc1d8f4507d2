#include "simulation/simulated_store.h"

#include "base/fail.h"
#include "store/wrap/wrapped_store.h"

namespace tegula::simulation {

namespace {

constexpr std::uint64_t kMostLate = 60;  // steps

}  // namespace

Process::Fate Process::before(std::string_view what, std::string_view key, bool change) const {
  if (crashed_) fail(ErrorKind::io, "the process is gone");
  actor_.step();
  const auto meets = [&](std::uint64_t one_in) { return one_in != 0 && actor_.chance(one_in); };
  const auto note = [&](std::string_view fate) {
    if (disk_.traced)
      disk_.trace.push_back(fmt::format("{:6} {} {} {}{}", actor_.scheduler().time(), actor_.name(), what, key, fate));
  };
  if (meets(troubles_.crash)) {
    crashed_ = troubled_ = true;
    const bool done = change && actor_.chance(2);
    note(done ? " (done, then a crash)" : " (a crash)");
    if (done) return Fate::unanswered;
    fail(ErrorKind::io, "crash");
  }
  if (meets(troubles_.lost)) {
    troubled_ = true;
    note(" (lost)");
    fail(ErrorKind::io, "the request was lost");
  }
  if (change && meets(troubles_.unanswered)) {
    troubled_ = true;
    note(" (done, without an answer)");
    return Fate::unanswered;
  }
  if (change && meets(troubles_.late)) {
    troubled_ = true;
    note(" (late)");
    return Fate::late;
  }
  note("");
  return Fate::done;
}

// `act` must own what it needs: it may run after the call.
template <class F>
void Process::change(std::string_view what, std::string_view key, F act) const {
  const Fate fate = before(what, key, true);
  const auto carry_out = [disk = &disk_, now = &actor_.scheduler(), name = std::string(key), act] {
    act(*disk->files);
    disk->changed[name] = now->time();
  };
  if (fate == Fate::late)
    actor_.scheduler().later(kMostLate, [carry_out] {
      try {
        carry_out();
      } catch (const Error&) {  // nobody waits for the answer
      }
    });
  else
    carry_out();
  if (fate != Fate::done) fail(ErrorKind::io, "no answer came");
}

class SimulatedUpload final : public Upload {
 public:
  SimulatedUpload(const Process& process, std::string key) : process_(process), key_(std::move(key)) {}
  void append(ByteView part) override { bytes_->insert(bytes_->end(), part.begin(), part.end()); }
  void commit() override { appear(); }
  void sync() override {}
  void appear() override {
    process_.change("put", key_, [key = key_, bytes = bytes_](Store& files) { files.put(key, *bytes); });
  }
  bool appear_if(const std::string& state) override {
    const auto written = std::make_shared<bool>(false);
    process_.change("put if", key_, [key = key_, bytes = bytes_, state, written](Store& files) {
      const ByteView view = *bytes;
      *written = files.put_if(key, std::span(&view, 1), state);
    });
    return *written;
  }

 private:
  const Process& process_;
  const std::string key_;
  std::shared_ptr<Bytes> bytes_ = std::make_shared<Bytes>();
};

class SimulatedStore final : public WrappedStore {
 public:
  explicit SimulatedStore(const Process& process) : WrappedStore(process.disk_.files), process_(process) {}

  std::optional<Bytes> get(std::string_view key) const override {
    process_.before("get", key, false);
    return store_->get(key);
  }
  void get(std::span<RangeRead> reads) const override {
    for (RangeRead& read : reads) {
      process_.before("get range", read.key, false);
      store_->get(std::span(&read, 1));
    }
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override {
    Store::fetch(reads, arrived);
  }
  void get(std::span<FileRead> reads) const override { Store::get(reads); }
  StatedFile get_stated(std::string_view key) const override {
    process_.before("get", key, false);
    return store_->get_stated(key);
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    process_.before("list all", prefix, false);
    return store_->list_all(prefix, most);
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    process_.before("tail", key, false);
    return store_->tail(key, most);
  }
  std::optional<std::uint64_t> size(std::string_view key) const override {
    process_.before("size", key, false);
    return store_->size(key);
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    process_.before("list", prefix, false);
    return store_->list(prefix);
  }
  void put(std::string_view key, std::span<const ByteView> parts) override {
    Bytes bytes;
    for (const ByteView part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
    process_.change("put", key,
                    [name = std::string(key), shared = std::make_shared<Bytes>(std::move(bytes))](Store& files) {
                      files.put(name, *shared);
                    });
  }
  // Late, it compares the state that it then finds.
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    Bytes bytes;
    for (const ByteView part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
    const auto written = std::make_shared<bool>(false);
    process_.change(
        "put if", key,
        [name = std::string(key), shared = std::make_shared<Bytes>(std::move(bytes)), state, written](Store& files) {
          const ByteView view = *shared;
          *written = files.put_if(name, std::span(&view, 1), state);
        });
    return *written;
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    return std::make_unique<SimulatedUpload>(process_, std::string(key));
  }
  using WrappedStore::remove;
  void remove(std::string_view key) override {
    process_.change("remove", key, [name = std::string(key)](Store& files) { files.remove(name); });
  }
  void make_folder(std::string_view key) override {
    process_.change("make folder", key, [name = std::string(key)](Store& files) { files.make_folder(name); });
  }
  std::string describe(std::string_view key) const override {
    return fmt::format("sim://{}/{}", process_.actor_.name(), key);
  }
  // Each process has locks of its own.
  std::string identity() const override { return describe(""); }

 private:
  const Process& process_;
};

std::shared_ptr<Store> Process::store() { return std::make_shared<SimulatedStore>(*this); }

}  // namespace tegula::simulation
