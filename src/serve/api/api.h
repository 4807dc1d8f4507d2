// What zarr cannot say: listings, schemas, queries, statistics and overviews, below /api.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "serve/http/answer.h"
#include "serve/http/request.h"
#include "serve/view/tree.h"

namespace tegula::serve {

// Thread-safe.
class Api {
 public:
  explicit Api(std::shared_ptr<Tree> tree) : tree_(std::move(tree)) {}

  // `path` is what follows /api: what is asked, then the path of an array, group or folder. Wrong parameters are 400,
  // what is not there 404; what cannot be read throws as View::get() does.
  Answer get(const Request& request, std::span<const std::string> path);

 private:
  std::shared_ptr<Tree> tree_;
};

}  // namespace tegula::serve
