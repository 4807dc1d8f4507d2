#include "store/objects/xml.h"

#include <cstring>

#include "base/fail.h"

namespace tegula::objects {

namespace {

constexpr std::size_t kMostTexts = 100;

}  // namespace

// pugixml's parser does not recurse; its limit on nesting is memory, which the size of an answer limits.
pugi::xml_document parse_xml(ByteView xml, std::string_view where, const char* root) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(xml.data(), xml.size());
  if (!result)
    fail(ErrorKind::io, "{}: the answer is not XML: {} at byte {}", where, result.description(), result.offset);
  if (std::strcmp(document.document_element().name(), root) != 0)
    fail(ErrorKind::io, "{}: expected the answer {}, found {}", where, root, document.document_element().name());
  return document;
}

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

}  // namespace tegula::objects
