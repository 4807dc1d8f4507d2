#include "call.h"

namespace tegula::python {

namespace {

constexpr std::chrono::milliseconds kInterval{50};

// Never requested: it only makes loops check it regularly, which runs poll().
const Cancel kNever;

}  // namespace

Work Settings::work() const {
  Work out;
  out.threads = threads;
  out.memory = memory;
  out.cancel = &kNever;
  return out;
}

Call::Call(const Settings& settings, nb::handle progress)
    : work_(settings.work()), progress_(progress), due_(std::chrono::steady_clock::now() + kInterval) {
  if (progress_ && !progress_.is_none()) work_.progress = this;
}

void Call::poll() {
  const auto now = std::chrono::steady_clock::now();
  if (now < due_) return;
  due_ = now + kInterval;
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0 && report()) return;
  raised_.emplace();
  throw Error(ErrorKind::cancelled, "stopped on request");
}

void Call::begin(std::string_view what, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  what_ = what;
  done_ = 0;
  total_ = total;
}

void Call::advance(std::uint64_t by) { done_ += by; }

// False when the callback raised.
bool Call::report() {
  if (!work_.progress) return true;
  std::string what;
  {
    const std::lock_guard lock(mutex_);
    what = what_;
  }
  if (what.empty()) return true;
  const nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "backslashreplace"));
  if (!text.is_valid()) return false;
  PyObject* result = PyObject_CallFunction(progress_.ptr(), "OKK", text.ptr(), static_cast<unsigned long long>(done_),
                                           static_cast<unsigned long long>(total_));
  Py_XDECREF(result);
  return result != nullptr;
}

void Call::finish() {
  if (!report()) throw nb::python_error();
}

}  // namespace tegula::python
