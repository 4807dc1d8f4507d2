// The XML answers of S3.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/bytes.h"

namespace tegula::s3 {

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

struct ListPage {
  std::vector<ListedKey> keys;
  std::vector<std::string> prefixes;
  std::string next;  // the token of the next page; empty: this is the last
};
// Throws Error(io), naming `where`, unless it is a whole listing: what a server says is not damage of the files.
ListPage read_list_page(ByteView xml, std::string_view where);

struct DeleteFailure {
  std::string key, code, message;
};
// What a batch delete could not delete. Throws Error(io) unless it is the answer to one.
std::vector<DeleteFailure> read_delete_result(ByteView xml, std::string_view where);

// Text with & < > and quotes as entities.
std::string xml_escape(std::string_view text);

}  // namespace tegula::s3
