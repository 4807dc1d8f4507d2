#include "run/query_document.h"

#include <cstdio>
#include <fstream>
#include <iostream>

#include "base/fail.h"
#include "base/json.h"
#include "files/text_file.h"
#include "format/registry/dialect.h"
#include "format/registry/registry.h"
#include "output/output.h"
#include "query/request/request.h"
#include "query/request/result_json.h"
#include "run/batch_mode.h"

namespace tegula::cli {

namespace {

Request open_document(const Json& document, const std::string& uri, OpenOptions options, const Globals& globals) {
  if (const auto at = open_at(document)) options.at = at;
  Request request;
  request.array = open(store_of(uri, globals), options);
  request.query = query_of(document, request.array->schema());
  request.query.work = globals.work;
  return request;
}

std::string text_member(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null()) return {};
  if (!found->is_string()) fail(ErrorKind::invalid_argument, "'{}' of a request must be text", key);
  return found->get<std::string>();
}

std::string error_json(std::string_view kind, std::string_view message) {
  std::string out = "{\"error\":{\"kind\":";
  append_json_string(out, kind);
  out += ",\"message\":";
  append_json_bytes(out, bytes_of(message));
  return out + "}}";
}

std::string answer(const std::string& text, OpenFlags flags, const Globals& globals) {
  const Json line = json_argument(text, "the request");
  if (!line.is_object() || !line.contains("uri"))
    fail(ErrorKind::invalid_argument,
         "a request is an object: {{\"uri\": ..., \"query\": {{...}}, \"key\": hex, \"format\": name}}");
  if (const std::string key = text_member(line, "key"); !key.empty()) flags.key = key;
  if (const std::string format = text_member(line, "format"); !format.empty()) flags.format = format;
  const Json document = line.contains("query") && !line["query"].is_null() ? line["query"] : Json::object();
  const Request request = open_document(document, text_member(line, "uri"), flags.options(globals), globals);
  return result_json(collect(*request.array->query(request.query)), dialect_of(request.query, request.array->schema()));
}

}  // namespace

Request open_request(const std::string& file, const std::string& uri, const OpenFlags& flags, const Globals& globals) {
  return open_document(json_argument(read_text(file), file == "-" ? "stdin" : file), uri, flags.options(globals),
                       globals);
}

int answer_requests(const std::string& file, const OpenFlags& flags, const Globals& globals) {
  std::ifstream opened;
  if (file != "-") opened.open(file);
  std::istream& in = file == "-" ? std::cin : opened;
  if (!in) fail(ErrorKind::not_found, "cannot read '{}'", file);
  bool failed = false;
  std::string line;
  while (std::getline(in, line)) {
    globals.work.check();
    if (line.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    std::string out;
    try {
      out = answer(line, flags, globals);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      failed = true;
      out = error_json(name(error.kind()), error.what());
    } catch (const std::exception& error) {
      failed = true;
      out = error_json("internal", error.what());
    }
    out += '\n';
    print(out);
    // The program may wait for this answer before it sends the next request.
    std::fflush(stdout);
  }
  return failed ? kProblems : kOk;
}

}  // namespace tegula::cli
