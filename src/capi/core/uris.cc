#include "capi/core/uris.h"

#include <filesystem>
#include <system_error>

namespace tegula::capi {

namespace {

constexpr std::string_view kFile = "file://", kMemory = "mem://";

const std::filesystem::path& first_folder() {
  static const std::filesystem::path folder = [] {
    std::error_code error;
    std::filesystem::path here = std::filesystem::current_path(error);
    return error ? std::filesystem::path("/") : here;
  }();
  return folder;
}

// Taken when the library is loaded: later changes of the folder do not count.
[[maybe_unused]] const std::filesystem::path& kFirstFolder = first_folder();

}  // namespace

std::string absolute_uri(std::string_view given) {
  if (given.find("://") != std::string_view::npos) return std::string(given);
  const std::filesystem::path path = (first_folder() / given).lexically_normal();
  return std::string(kFile) + path.string();
}

std::string local_path(std::string_view uri) {
  return std::string(uri.starts_with(kFile) ? uri.substr(kFile.size()) : uri);
}

std::string engine_uri(std::string_view given, const ContextState& context) {
  std::string uri = absolute_uri(given);
  if (uri.starts_with(kMemory)) {
    uri.erase(0, kMemory.size());
    uri.erase(0, uri.find_first_not_of('/'));
    uri = fmt::format("{}context-{}/{}", kMemory, context.number, uri);
    while (uri.ends_with('/')) uri.pop_back();
    return uri;
  }
  uri = local_path(uri);
  while (uri.size() > 1 && uri.ends_with('/')) uri.pop_back();
  return uri;
}

}  // namespace tegula::capi
