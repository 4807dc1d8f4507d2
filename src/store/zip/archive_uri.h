// URIs that name a zip archive, or a folder inside one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tegula {

// "s3://b/x.zip!/inner" is the file "x.zip" in "s3://b", and "inner" inside it.
struct ArchiveUri {
  std::string folder;                // a URI
  std::string name;                  // of the archive in it
  std::optional<std::string> inner;  // nothing when the URI says nothing about it
};

// "zip://ARCHIVE", "zip://ARCHIVE!/INNER", "ARCHIVE!/INNER" and "ARCHIVE" are archives when the name of ARCHIVE ends in
// .zip or .ozx, or when it is a local file that begins as zip archives do, whatever its name. With "zip://" it may have
// any name. Local folders are none, whatever their names. Asks the file system about local names; no other store.
std::optional<ArchiveUri> archive_uri(std::string_view uri);

// The archive that a new array at this URI would be in: told by "zip://" or the ending of the name, unless there is a
// local folder of that name.
std::optional<ArchiveUri> new_archive_uri(std::string_view uri);

// Does the name end in .zip or .ozx?
bool named_as_archive(std::string_view name);

}  // namespace tegula
