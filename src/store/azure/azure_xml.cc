#include "store/azure/azure_xml.h"

#include <charconv>
#include <cstring>

#include "base/fail.h"

namespace tegula::azure {

objects::ListPage read_blob_list(ByteView xml, std::string_view where) {
  const pugi::xml_document document = objects::parse_xml(xml, where, "EnumerationResults");
  const pugi::xml_node root = document.document_element();
  // An answer that lost its content on the way must not read as an empty folder.
  if (!root.child("Blobs") || !root.child("NextMarker"))
    fail(ErrorKind::io, "{}: the listing does not say whether it is complete", where);
  objects::ListPage page;
  for (const pugi::xml_node node : root.child("Blobs").children()) {
    const std::string name = node.child_value("Name");
    // Names that XML cannot express come encoded, which tegula writes none of.
    if (std::strcmp(node.child("Name").attribute("Encoded").value(), "true") == 0)
      fail(ErrorKind::unsupported, "{}: the listing has the name '{}', with characters that no XML has", where, name);
    if (std::strcmp(node.name(), "BlobPrefix") == 0) {
      page.prefixes.push_back(name);
    } else if (std::strcmp(node.name(), "Blob") == 0) {
      const pugi::xml_node about = node.child("Properties");
      if (std::strcmp(about.child_value("ResourceType"), "directory") == 0) continue;
      const std::string_view size = about.child_value("Content-Length");
      std::string etag = about.child_value("Etag");
      // Headers have it in quotes.
      if (!etag.empty() && etag.front() != '"') etag = '"' + etag + '"';
      objects::ListedKey key{name, 0, std::move(etag)};
      const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), key.size);
      if (key.key.empty() || error != std::errc() || end != size.data() + size.size())
        fail(ErrorKind::io, "{}: the listing has the name '{}' with the size '{}'", where, key.key, size);
      page.keys.push_back(std::move(key));
    }
  }
  page.next = root.child_value("NextMarker");
  return page;
}

}  // namespace tegula::azure
