// Requests that come as JSON documents.
#pragma once

#include <memory>
#include <string>

#include "app/command.h"
#include "run/opening.h"
#include "tegula/array.h"

namespace tegula::cli {

struct Request {
  std::shared_ptr<Array> array;
  Query query;
};

// Reads the document from a file ("-": stdin) and opens the array at its time. Throws Error.
Request open_request(const std::string& file, const std::string& uri, const OpenFlags& flags, const Globals& globals);

}  // namespace tegula::cli
