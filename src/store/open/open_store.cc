#include "store/open/open_store.h"

#include <fmt/format.h>

#include <vector>

#include "base/fail.h"
#include "store/azure/azure_store.h"
#include "store/file/file_store.h"
#include "store/memory/memory_store.h"
#include "store/objects/object_store.h"
#include "store/open/shown_uri.h"
#include "store/s3/s3_store.h"
#include "store/web/web_store.h"
#include "store/wrap/cached_store.h"
#include "store/zip/archive_uri.h"
#include "store/zip/zip_store.h"

namespace tegula {

namespace {

std::string without_scheme(const std::string& uri) { return uri.substr(uri.find("://") + 3); }

std::shared_ptr<Store> open_file(const std::string& uri, const StoreOptions& options) {
  return open_file_store(without_scheme(uri), options);
}
std::shared_ptr<Store> open_memory(const std::string& uri, const StoreOptions&) {
  return open_memory_store(without_scheme(uri));
}
std::shared_ptr<Store> open_s3(const std::string& uri, const StoreOptions& options) {
  return open_s3_store(uri, options);
}
std::shared_ptr<Store> open_gs(const std::string& uri, const StoreOptions& options) {
  return open_gs_store(uri, options);
}
std::shared_ptr<Store> open_azure(const std::string& uri, const StoreOptions& options) {
  return open_azure_store(uri, options);
}
std::shared_ptr<Store> open_web(const std::string& uri, const StoreOptions& options) {
  return open_web_store(
      uri, objects::make_client(objects::parse_settings(objects::Service::web, options.settings), options));
}

// "DIR" or "DIR:SIZE".
std::shared_ptr<Store> with_cache(std::shared_ptr<Store> store, const std::string& cache) {
  constexpr std::uint64_t kSize = 10ull << 30;
  const std::size_t colon = cache.rfind(':');
  const bool sized =
      colon != std::string::npos && colon + 1 < cache.size() && cache.find('/', colon) == std::string::npos;
  const std::uint64_t most = sized ? parse_size(cache.substr(colon + 1)) : kSize;
  StoreOptions quick;
  quick.sync = false;
  return cached_store(std::move(store), open_file_store(cache.substr(0, sized ? colon : cache.size()), quick), most);
}

// "HTTPS://Host/Path" is the same place as "https://Host/Path".
std::string with_lower_scheme(std::string uri) {
  const std::size_t end = uri.find("://");
  if (end == std::string::npos || uri.find('/') < end) return uri;
  for (std::size_t i = 0; i < end; ++i)
    if (uri[i] >= 'A' && uri[i] <= 'Z') uri[i] = static_cast<char>(uri[i] - 'A' + 'a');
  return uri;
}

struct Scheme {
  std::string_view name;
  std::shared_ptr<Store> (*open)(const std::string& uri, const StoreOptions& options);
};

constexpr Scheme kSchemes[] = {
    {"file", open_file},   {"mem", open_memory}, {"s3", open_s3},       {"gs", open_gs},    {"az", open_azure},
    {"azure", open_azure}, {"abfs", open_azure}, {"abfss", open_azure}, {"http", open_web}, {"https", open_web},
};

// A place where files are, without looking into it.
std::shared_ptr<Store> open_place(const std::string& uri, const StoreOptions& options) {
  const std::size_t end = uri.find("://");
  // "a/b://c" is a path.
  if (end == std::string::npos || uri.find('/') < end) return open_file_store(uri, options);
  const std::string_view scheme = std::string_view(uri).substr(0, end);
  StoreOptions others = options;
  const auto cache = others.settings.extract("cache");
  for (const Scheme& known : kSchemes) {
    if (known.name != scheme) continue;
    std::shared_ptr<Store> store = known.open(uri, others);
    return cache ? with_cache(std::move(store), cache.mapped()) : store;
  }
  std::vector<std::string> names;
  for (const Scheme& known : kSchemes) names.push_back(fmt::format("{}://", known.name));
  fail(ErrorKind::unsupported, "'{}': only plain paths, zip archives and {} can be opened", shown_uri(uri),
       fmt::join(names, ", "));
}

}  // namespace

std::shared_ptr<Store> open_store(const std::string& given, const StoreOptions& options) {
  const std::string uri = with_lower_scheme(given);
  const std::optional<ArchiveUri> archive = archive_uri(uri);
  if (!archive) return open_place(uri, options);
  StoreOptions around = options;
  around.follow_links = true;  // the archive was named, whatever it is a link to
  return open_zip_store(open_place(with_lower_scheme(archive->folder), around), archive->name, archive->inner);
}

}  // namespace tegula
