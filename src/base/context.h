// What the current thread is doing, for error messages.
#pragma once

#include <string>
#include <utility>

namespace tegula {

// A list on the stack, one per thread; an Error created while contexts exist carries their texts, outermost first.
// parallel_for passes the caller's list on to its workers.
class ContextNode {
 public:
  ContextNode(const ContextNode&) = delete;
  ContextNode& operator=(const ContextNode&) = delete;
  virtual std::string text() const = 0;

  static const ContextNode* current() noexcept;
  const ContextNode* outer() const noexcept { return outer_; }

  // Uses another list, of this or another thread, for as long as it lives; null: none.
  class Adopt {
   public:
    explicit Adopt(const ContextNode* node) noexcept;
    ~Adopt();
    Adopt(const Adopt&) = delete;
    Adopt& operator=(const Adopt&) = delete;

   private:
    const ContextNode* saved_;
  };

 protected:
  ContextNode() noexcept;
  ~ContextNode();

 private:
  const ContextNode* outer_;
};

// Context doing([&] { return fmt::format("opening array '{}'", uri); });   // the text is built only if something
// throws
template <class F>
class Context final : public ContextNode {
 public:
  explicit Context(F text) : text_(std::move(text)) {}
  std::string text() const override { return text_(); }

 private:
  F text_;
};

}  // namespace tegula
