#include "store/s3/xml.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <pugixml.hpp>

#include "base/fail.h"

namespace tegula::s3 {

namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// encoding-type=url: %XX, and a plus is a space.
std::string url_decoded(std::string_view text, std::string_view where) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] == '%') {
      const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
      if (!high || !low) fail(ErrorKind::io, "{}: the listing has the key '{}', which is not encoded", where, text);
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

objects::ListPage read_list_page(ByteView xml, std::string_view where) {
  const pugi::xml_document document = objects::parse_xml(xml, where, "ListBucketResult");
  const pugi::xml_node root = document.document_element();
  // An answer that lost its content on the way must not read as an empty folder.
  if (!root.child("IsTruncated")) fail(ErrorKind::io, "{}: the listing does not say whether it is complete", where);
  const bool encoded = std::strcmp(root.child_value("EncodingType"), "url") == 0;
  const auto name_of = [&](const char* text) { return encoded ? url_decoded(text, where) : std::string(text); };
  objects::ListPage page;
  for (const pugi::xml_node node : root.children()) {
    if (std::strcmp(node.name(), "CommonPrefixes") == 0) {
      page.prefixes.push_back(name_of(node.child_value("Prefix")));
    } else if (std::strcmp(node.name(), "Contents") == 0) {
      const std::string_view size = node.child_value("Size");
      objects::ListedKey key{name_of(node.child_value("Key")), 0, node.child_value("ETag")};
      const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), key.size);
      if (key.key.empty() || error != std::errc() || end != size.data() + size.size())
        fail(ErrorKind::io, "{}: the listing has the key '{}' with the size '{}'", where, key.key, size);
      page.keys.push_back(std::move(key));
    }
  }
  if (std::strcmp(root.child_value("IsTruncated"), "true") == 0) {
    page.next = root.child_value("NextContinuationToken");
    if (page.next.empty()) fail(ErrorKind::io, "{}: the listing goes on, but does not say where", where);
  }
  return page;
}

std::vector<DeleteFailure> read_delete_result(ByteView xml, std::string_view where) {
  const pugi::xml_document document = objects::parse_xml(xml, where, "DeleteResult");
  std::vector<DeleteFailure> failures;
  for (const pugi::xml_node node : document.document_element().children("Error"))
    failures.push_back({node.child_value("Key"), node.child_value("Code"), node.child_value("Message")});
  return failures;
}

}  // namespace tegula::s3
