#include "store/s3/xml.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <pugixml.hpp>

#include "base/fail.h"

namespace tegula::s3 {

namespace {

constexpr std::size_t kMostTexts = 100;

// pugixml's parser does not recurse; its limit on nesting is memory, which the size of an answer limits.
pugi::xml_document parse(ByteView xml, std::string_view where, const char* root) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(xml.data(), xml.size());
  if (!result)
    fail(ErrorKind::io, "{}: the answer is not XML: {} at byte {}", where, result.description(), result.offset);
  if (std::strcmp(document.document_element().name(), root) != 0)
    fail(ErrorKind::io, "{}: expected the answer {}, found {}", where, root, document.document_element().name());
  return document;
}

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

Answered read_answer(ByteView xml) {
  Answered out;
  pugi::xml_document document;
  if (xml.empty() || !document.load_buffer(xml.data(), xml.size())) return out;
  const pugi::xml_node root = document.document_element();
  out.root = root.name();
  // Without recursion: in document order.
  for (pugi::xml_node node = root; node && out.texts.size() < kMostTexts;) {
    if (const char* text = node.child_value(); *text) out.texts.emplace(node.name(), text);
    if (pugi::xml_node below = node.first_child(); below) {
      node = below;
      continue;
    }
    while (node && node != root && !node.next_sibling()) node = node.parent();
    node = node == root ? pugi::xml_node() : node.next_sibling();
  }
  if (out.root == "Error" || out.root == "ErrorResponse") out.code = out.text("Code");
  return out;
}

ListPage read_list_page(ByteView xml, std::string_view where) {
  const pugi::xml_document document = parse(xml, where, "ListBucketResult");
  const pugi::xml_node root = document.document_element();
  // An answer that lost its content on the way must not read as an empty folder.
  if (!root.child("IsTruncated")) fail(ErrorKind::io, "{}: the listing does not say whether it is complete", where);
  const bool encoded = std::strcmp(root.child_value("EncodingType"), "url") == 0;
  const auto name_of = [&](const char* text) { return encoded ? url_decoded(text, where) : std::string(text); };
  ListPage page;
  for (const pugi::xml_node node : root.children()) {
    if (std::strcmp(node.name(), "CommonPrefixes") == 0) {
      page.prefixes.push_back(name_of(node.child_value("Prefix")));
    } else if (std::strcmp(node.name(), "Contents") == 0) {
      const std::string_view size = node.child_value("Size");
      ListedKey key{name_of(node.child_value("Key")), 0, node.child_value("ETag")};
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
  const pugi::xml_document document = parse(xml, where, "DeleteResult");
  std::vector<DeleteFailure> failures;
  for (const pugi::xml_node node : document.document_element().children("Error"))
    failures.push_back({node.child_value("Key"), node.child_value("Code"), node.child_value("Message")});
  return failures;
}

std::string xml_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // Control characters have no place in XML 1.0 but as references, which servers take.
        if (static_cast<unsigned char>(c) < 0x20)
          out += "&#" + std::to_string(static_cast<int>(c)) + ";";
        else
          out += c;
    }
  }
  return out;
}

}  // namespace tegula::s3
