// What is below a folder or bucket as zarr v2 and v3: from the path of a request to its bytes. Knows nothing of HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "serve/view/tree.h"
#include "tegula/bytes.h"

namespace tegula::serve {

// A document, a chunk or a page.
struct Resource {
  std::string type;                   // of its content: "application/json"
  std::string tag;                    // another text after any change
  std::optional<std::uint64_t> size;  // when it is known before the body
  std::function<Bytes()> body;        // called at most once; throws what reading throws
};

// JSON without the bare NaN and Infinity that only Python reads: they become text.
std::string strict_json(Json value);
// A tag of text or bytes.
std::string tag_of(ByteView bytes);

// Thread-safe.
class View {
 public:
  explicit View(std::shared_ptr<Tree> tree) : tree_(std::move(tree)) {}

  // `path` is what follows /v2 or /v3 in the URL, its parts decoded. No value when there is nothing: an absent chunk,
  // which holds the fill value, a document of another kind of node, a name that does not exist. What is there and
  // cannot be read or served throws Error; Unavailable when it cannot now.
  std::optional<Resource> get(int version, std::span<const std::string> path);

 private:
  std::optional<Resource> array_resource(const std::shared_ptr<const ServedArray>& array, const std::string& place,
                                         std::span<const std::string> key) const;
  std::optional<Resource> group_resource(const Place& place, int version, std::span<const std::string> key);
  // Every node below a place with its path from there. No value when there are more than a client should be told of.
  struct Below {
    std::string path;
    std::shared_ptr<const Node> node;
  };
  std::optional<std::vector<Below>> everything_below(const Place& place, int version);

  std::shared_ptr<Tree> tree_;
};

}  // namespace tegula::serve
