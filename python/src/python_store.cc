#include "python_store.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>

#include "base/fail.h"
#include "call.h"
#include "store/file/file_store.h"
#include "store/open/open_store.h"
#include "store/zip/archive_uri.h"
#include "store/zip/zip_store.h"
#include "values.h"

namespace tegula::python {

namespace {

constexpr unsigned kInFlight = 32;  // reads that an object is given at once, at least
constexpr std::uint64_t kGap = 64 << 10;

// A Python object that may go when nobody holds the interpreter lock, and at the end of the interpreter.
class Held {
 public:
  explicit Held(nb::object object) : object_(object.release()) {}
  ~Held() {
    if (!Py_IsInitialized()) return;
    const nb::gil_scoped_acquire acquire;
    object_.dec_ref();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  nb::handle operator*() const { return object_; }

 private:
  nb::handle object_;
};

nb::str text(std::string_view key) { return nb::str(key.data(), key.size()); }

nb::bytes joined(std::span<const ByteView> parts) {
  std::size_t size = 0;
  for (const ByteView part : parts) size += part.size();
  const nb::object out = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!out.is_valid()) throw nb::python_error();
  char* to = PyBytes_AsString(out.ptr());
  for (const ByteView part : parts) to = std::copy_n(reinterpret_cast<const char*>(part.data()), part.size(), to);
  return nb::borrow<nb::bytes>(out);
}

// The bytes of an object, while this lives. Made and destroyed with the interpreter lock.
class View {
 public:
  explicit View(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~View() { PyBuffer_Release(&view_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ByteView bytes() const { return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)}; }

 private:
  Py_buffer view_{};
};

[[noreturn]] void raise(nb::handle exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

// One answer of Adapter.read().
struct Answer {
  std::unique_ptr<View> view;  // null: absent
  std::uint64_t size = 0;      // of the file; of a range that was wanted, of that
  std::exception_ptr failure;
  bool denied = false;  // the failure says so
};

class PythonStore final : public Store {
 public:
  PythonStore(nb::object adapter, std::string identity) : adapter_(std::move(adapter)), identity_(std::move(identity)) {
    hints_.gap = kGap;
    hints_.in_flight = kInFlight;
    hints_.lists = nb::cast<bool>((*adapter_).attr("lists"));
    hints_.writes = nb::cast<bool>((*adapter_).attr("writes"));
    hints_.conditional = nb::cast<bool>((*adapter_).attr("conditional"));
    hints_.empty_folders = false;
  }

  using Store::get;
  std::optional<Bytes> get(std::string_view key) const override {
    FileRead read{key};
    get(std::span(&read, 1));
    return read.found ? std::optional(std::move(read.found->bytes)) : std::nullopt;
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    FileRead read{key, most};
    get(std::span(&read, 1));
    return std::move(read.found);
  }
  void get(std::span<RangeRead> reads) const override;
  void get(std::span<FileRead> reads) const override;

  std::optional<std::uint64_t> size(std::string_view key) const override {
    check_key(key);
    const nb::gil_scoped_acquire acquire;
    const nb::object size = (*adapter_).attr("size")(text(key));
    return size.is_none() ? std::nullopt : std::optional(nb::cast<std::uint64_t>(size));
  }
  std::vector<Entry> list(std::string_view prefix) const override {
    if (!prefix.empty()) check_key(prefix);
    std::vector<Entry> out;
    const nb::gil_scoped_acquire acquire;
    for (nb::handle item : (*adapter_).attr("entries")(text(prefix)))
      out.push_back({nb::cast<std::string>(item[0]), nb::cast<bool>(item[1]), nb::cast<std::uint64_t>(item[2])});
    std::ranges::sort(out, {}, &Entry::name);
    return out;
  }
  Listing list_all(std::string_view prefix, std::size_t most) const override {
    if (!prefix.empty()) check_key(prefix);
    Listing out;
    const nb::gil_scoped_acquire acquire;
    const auto limit = static_cast<Py_ssize_t>(std::min<std::size_t>(most, PY_SSIZE_T_MAX));
    for (nb::handle item : (*adapter_).attr("files")(text(prefix), limit))
      out.files.push_back(
          {nb::cast<std::string>(item[0]), nb::cast<std::uint64_t>(item[1]), nb::cast<std::string>(item[2])});
    std::ranges::sort(out.files, {}, &ListedFile::key);
    out.complete = out.files.size() <= most;
    if (!out.complete) out.files.resize(most);
    return out;
  }
  StatedFile get_stated(std::string_view key) const override {
    check_key(key);
    const nb::gil_scoped_acquire acquire;
    const nb::object found = (*adapter_).attr("stated")(text(key));
    if (found.is_none()) return {};
    const View view(found[0]);
    return {copy_of(view.bytes()), nb::cast<std::string>(found[1])};
  }

  using Store::put;
  void put(std::string_view key, std::span<const ByteView> parts) override {
    check_writes(key);
    const nb::gil_scoped_acquire acquire;
    (*adapter_).attr("put")(text(key), joined(parts));
  }
  bool put_if(std::string_view key, std::span<const ByteView> parts, const std::string& state) override {
    check_writes(key);
    const nb::gil_scoped_acquire acquire;
    return nb::cast<bool>((*adapter_).attr("put_if")(text(key), joined(parts), text(state)));
  }
  std::unique_ptr<Upload> begin(std::string_view key) override {
    check_writes(key);
    return std::make_unique<KeptUpload>(*this, std::string(key));
  }
  std::unique_ptr<Scratch> scratch() override { return local_scratch(); }
  void remove(std::string_view key) override {
    const std::string one(key);
    remove(std::span(&one, 1));
  }
  void remove(std::span<const std::string> keys) override {
    for (const std::string& key : keys) check_writes(key);
    const nb::gil_scoped_acquire acquire;
    nb::list names;
    for (const std::string& key : keys) names.append(text(key));
    (*adapter_).attr("remove")(names);
  }
  void make_folder(std::string_view key) override { check_writes(key); }
  void sync_folder(std::string_view) override {}

  StoreHints hints() const override { return hints_; }
  // The path in the store: what open() takes together with the store.
  std::string describe(std::string_view key) const override {
    const nb::gil_scoped_acquire acquire;
    return nb::cast<std::string>((*adapter_).attr("path")(text(key)));
  }
  std::string uri(std::string_view key) const override { return describe(key); }
  std::string identity() const override { return join(identity_, describe("")); }

 private:
  // Kept in memory until it appears.
  class KeptUpload final : public Upload {
   public:
    KeptUpload(PythonStore& store, std::string key) : store_(store), key_(std::move(key)) {}
    void append(ByteView part) override { bytes_.insert(bytes_.end(), part.begin(), part.end()); }
    void commit() override { store_.put(key_, bytes_); }
    void sync() override {}
    void appear() override { commit(); }
    bool appear_if(const std::string& state) override {
      const ByteView whole = bytes_;
      return store_.put_if(key_, std::span(&whole, 1), state);
    }

   private:
    PythonStore& store_;
    std::string key_;
    Bytes bytes_;
  };

  void check_writes(std::string_view key) const {
    check_key(key);
    if (!hints_.writes) fail(ErrorKind::unsupported, "{}: the store has no way to write", describe(key));
  }

  // Asks for all of `wanted` at once and hands the answers to `use`, without the interpreter lock.
  template <class F>
  void ask(const nb::list& wanted, const F& use) const {
    const nb::object found = (*adapter_).attr("read")(wanted);
    std::vector<Answer> answers(nb::len(wanted));
    std::size_t i = 0;
    for (nb::handle item : found) {
      if (i == answers.size()) break;
      Answer& answer = answers[i++];
      if (item.is_none()) continue;
      if (PyExceptionInstance_Check(item.ptr())) {
        try {
          raise(item);
        } catch (const nb::python_error&) {
          answer.failure = std::current_exception();
        }
        answer.denied = nb::cast<bool>((*adapter_).attr("denied")(item));
        continue;
      }
      answer.view = std::make_unique<View>(item[0]);
      answer.size = nb::object(item[1]).is_none() ? answer.view->bytes().size() : nb::cast<std::uint64_t>(item[1]);
    }
    if (i != answers.size())
      fail(ErrorKind::io, "{}: asked for {} ranges, the store gave {}", describe(""), answers.size(), i);
    const nb::gil_scoped_release release;
    use(answers);
  }

  Held adapter_;
  std::string identity_;
  StoreHints hints_;
};

void PythonStore::get(std::span<RangeRead> reads) const {
  for (const RangeRead& read : reads) check_key(read.key);
  if (reads.empty()) return;
  const nb::gil_scoped_acquire acquire;
  nb::list wanted;
  for (const RangeRead& read : reads) {
    // Of an empty range only the size of the file is of interest.
    if (read.into.empty())
      wanted.append(nb::make_tuple(text(read.key), -1, nb::none()));
    else
      wanted.append(nb::make_tuple(text(read.key), read.offset, read.offset + read.into.size()));
  }
  ask(wanted, [&](std::span<const Answer> answers) {
    for (std::size_t i = 0; i < reads.size(); ++i) {
      RangeRead& read = reads[i];
      if (answers[i].failure) std::rethrow_exception(answers[i].failure);
      read.found = answers[i].view != nullptr;
      if (!read.found) continue;
      const ByteView bytes = answers[i].view->bytes();
      const bool fits = read.into.empty() ? read.offset <= answers[i].size : bytes.size() == read.into.size();
      if (!fits)
        fail(ErrorKind::corrupt, "{}: expected {} bytes at byte {}, the store gave {}", describe(read.key),
             read.into.size(), read.offset, bytes.size());
      if (!read.into.empty()) std::ranges::copy(bytes, read.into.begin());
    }
  });
}

void PythonStore::get(std::span<FileRead> reads) const {
  for (const FileRead& read : reads) check_key(read.key);
  if (reads.empty()) return;
  const nb::gil_scoped_acquire acquire;
  nb::list wanted;
  for (const FileRead& read : reads) {
    nb::object start = nb::none();
    if (read.most < PY_SSIZE_T_MAX) start = nb::int_(-static_cast<Py_ssize_t>(std::max<std::uint64_t>(read.most, 1)));
    wanted.append(nb::make_tuple(text(read.key), start, nb::none()));
  }
  ask(wanted, [&](std::span<const Answer> answers) {
    for (std::size_t i = 0; i < reads.size(); ++i) {
      FileRead& read = reads[i];
      read.found.reset();
      read.failure = nullptr;
      if (answers[i].failure && !(read.may_fail && answers[i].denied)) std::rethrow_exception(answers[i].failure);
      read.failure = answers[i].failure;
      if (!answers[i].view) continue;
      const ByteView bytes = answers[i].view->bytes();
      read.found = Tail{copy_of(bytes.last(std::min<std::uint64_t>(read.most, bytes.size()))), answers[i].size};
    }
  });
}

}  // namespace

std::shared_ptr<Store> python_store(nb::object store, const std::string& root) {
  const std::string identity = fmt::format("python:{}", static_cast<const void*>(store.ptr()));
  nb::object adapter = nb::module_::import_("tegula.stores").attr("adapted")(store, root);
  return std::make_shared<PythonStore>(std::move(adapter), identity);
}

std::map<std::string, std::string> storage_from(nb::dict options) {
  std::map<std::string, std::string> out;
  if (!options.contains("storage_options")) return out;
  for (const auto [name, value] : checked<nb::dict>(options["storage_options"]))
    out[text_from(name)] = text_from(value);
  return out;
}

StoreOpener opener_of(const std::string& uri, nb::dict options, bool sync) {
  if (!options.contains("store")) {
    StoreOptions store;
    store.sync = sync;
    store.settings = storage_from(options);
    return [uri, store] { return open_store(uri, store); };
  }
  const nb::object object = options["store"];
  const std::size_t inside = uri.find("!/");
  const std::string archive = uri.substr(0, inside);
  if (!named_as_archive(archive)) return [store = python_store(object, uri)] { return store; };
  const std::size_t slash = archive.rfind('/');
  std::optional<std::string> inner;
  if (inside != std::string::npos) inner = uri.substr(inside + 2);
  return [around = python_store(object, archive.substr(0, slash == std::string::npos ? 0 : slash)),
          name = archive.substr(slash + 1), inner] { return open_zip_store(around, name, inner); };
}

}  // namespace tegula::python
