#include "tegula/error.h"

#include <vector>

#include "base/context.h"
#include "base/fail.h"

namespace tegula {

namespace {

thread_local const ContextNode* t_current = nullptr;

std::string with_context(ErrorKind kind, const std::string& message) {
  std::vector<const ContextNode*> nodes;
  for (const ContextNode* node = t_current; node; node = node->outer()) nodes.push_back(node);
  std::string text(name(kind));
  text += ": ";
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    text += (*node)->text();
    text += ": ";
  }
  return text + message;
}

}  // namespace

std::string_view name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::not_found:
      return "not found";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::invalid_argument:
      return "invalid argument";
    case ErrorKind::permission:
      return "permission denied";
    case ErrorKind::io:
      return "i/o error";
    case ErrorKind::cancelled:
      return "cancelled";
  }
  return "error";
}

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(with_context(kind, message)), kind_(kind) {}

void fail_with(ErrorKind kind, fmt::string_view format, fmt::format_args args) {
  throw Error(kind, fmt::vformat(format, args));
}

ContextNode::ContextNode() noexcept : outer_(t_current) { t_current = this; }
ContextNode::~ContextNode() { t_current = outer_; }
const ContextNode* ContextNode::current() noexcept { return t_current; }
ContextNode::Adopt::Adopt(const ContextNode* node) noexcept : saved_(t_current) { t_current = node; }
ContextNode::Adopt::~Adopt() { t_current = saved_; }

}  // namespace tegula
