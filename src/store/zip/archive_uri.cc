#include "store/zip/archive_uri.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace tegula {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kZip = "zip://", kFile = "file://", kInside = "!/";

// A path of the file system, if this is one.
std::optional<std::string> local_path(std::string_view uri) {
  if (uri.starts_with(kFile)) return std::string(uri.substr(kFile.size()));
  const std::size_t scheme = uri.find("://");
  if (scheme != std::string_view::npos && uri.find('/') > scheme) return std::nullopt;
  return std::string(uri);
}

bool begins_as_archive(const std::string& path) {
  std::array<char, 4> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  const std::string_view sign(start.data(), start.size());
  return sign == std::string_view("PK\3\4", 4) || sign == std::string_view("PK\5\6", 4);
}

// The query of a web address belongs to its folder too.
std::string_view query_of(std::string_view uri) {
  if (!uri.starts_with("http://") && !uri.starts_with("https://")) return {};
  const std::size_t at = uri.find('?');
  return at == std::string_view::npos ? std::string_view() : uri.substr(at);
}

std::optional<ArchiveUri> split(std::string_view uri, std::optional<std::string> inner) {
  const std::string_view query = query_of(uri);
  const std::string_view path = uri.substr(0, uri.size() - query.size());
  const std::size_t slash = path.rfind('/'), scheme = path.find("://");
  std::string name(path.substr(slash + 1));
  if (name.empty()) return std::nullopt;
  if (slash == std::string_view::npos) return ArchiveUri{".", std::move(name), std::move(inner)};
  // "mem://x.zip" has no folder.
  const bool only_scheme = scheme != std::string_view::npos && slash == scheme + 2;
  if (only_scheme && !path.starts_with(kFile)) return std::nullopt;
  std::string folder(path.substr(0, slash == 0 || only_scheme ? slash + 1 : slash));
  folder += query;
  return ArchiveUri{std::move(folder), std::move(name), std::move(inner)};
}

bool is_archive(std::string_view uri) {
  const std::optional<std::string> path = local_path(uri);
  if (!path) return named_as_archive(uri.substr(0, uri.size() - query_of(uri).size()));
  std::error_code unknown;
  return fs::is_regular_file(*path, unknown) && (named_as_archive(*path) || begins_as_archive(*path));
}

}  // namespace

bool named_as_archive(std::string_view name) {
  constexpr std::string_view kEndings[] = {".zip", ".ozx"};
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return name.size() > ending.size() &&
           std::ranges::equal(name.substr(name.size() - ending.size()), ending, {}, lower);
  });
}

std::optional<ArchiveUri> archive_uri(std::string_view uri) {
  const bool told = uri.starts_with(kZip);
  if (told) uri.remove_prefix(kZip.size());
  for (std::size_t at = uri.find(kInside); at != std::string_view::npos; at = uri.find(kInside, at + 1)) {
    const std::string_view archive = uri.substr(0, at);
    if (!told && !named_as_archive(archive.substr(0, archive.size() - query_of(archive).size())) &&
        !is_archive(archive))
      continue;
    std::string_view inner = uri.substr(at + kInside.size());
    while (inner.ends_with('/')) inner.remove_suffix(1);
    return split(archive, std::string(inner));
  }
  if (told || is_archive(uri)) return split(uri, std::nullopt);
  return std::nullopt;
}

std::optional<ArchiveUri> new_archive_uri(std::string_view uri) {
  if (std::optional<ArchiveUri> there = archive_uri(uri)) return there;
  const std::optional<std::string> path = local_path(uri);
  std::error_code unknown;
  if (!path || !named_as_archive(*path) || fs::is_directory(*path, unknown)) return std::nullopt;
  return split(uri, std::nullopt);
}

}  // namespace tegula
