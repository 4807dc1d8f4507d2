// The XML answers of object services.
#pragma once

#include <cstdint>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/bytes.h"

namespace tegula::objects {

// An answer that consists of named texts, such as <Error><Code>..; those inside nested elements are found too, the
// first of a name counts. Empty when it is no XML. Never throws.
struct Answered {
  std::string root;  // "Error", "CompleteMultipartUploadResult"
  std::string code;  // <Code> of an <Error>
  std::map<std::string, std::string> texts;
  std::string text(const std::string& name) const {
    const auto at = texts.find(name);
    return at == texts.end() ? "" : at->second;
  }
};
Answered read_answer(ByteView xml);

struct ListedKey {
  std::string key;
  std::uint64_t size = 0;
  std::string etag;
};

// A part of a listing.
struct ListPage {
  std::vector<ListedKey> keys;
  std::vector<std::string> prefixes;
  std::string next;  // the token of the next page; empty: this is the last
};

// Throws Error(io), naming `where`, unless it is a whole document whose outermost element is `root`: what a server says
// is not damage of the files.
pugi::xml_document parse_xml(ByteView xml, std::string_view where, const char* root);

// Text with & < > and quotes as entities.
std::string xml_escape(std::string_view text);

}  // namespace tegula::objects
