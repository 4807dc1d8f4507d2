// Reads every case of the unpacked corpus through the library, at 1 and 8 threads, and compares.
// usage: test_conformance FOLDER EXPECTED_FAILURES [PATTERN]
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "expected_result.h"
#include "format/registry/dialect.h"
#include "query/request/request.h"
#include "query/request/result_json.h"
#include "query/request/value_text.h"
#include "recorded_facts.h"
#include "stored_statistics.h"
#include "tegula/tegula.h"

namespace fs = std::filesystem;

namespace tegula::conformance {

namespace {

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Case {
  fs::path array;
  Json document;
  std::string kind;
  unsigned threads = 1;

  std::shared_ptr<Array> opened(const Json& check) const {
    OpenOptions options;
    options.work.threads = threads;
    options.at = open_at(check.contains("open_at") ? Json{{"open_at", check["open_at"]}} : Json::object());
    if (document.contains("encryption_key_hex") && document["encryption_key_hex"].is_string())
      options.key = bytes_of_hex(document["encryption_key_hex"].get<std::string>(), "the key");
    return open(check.contains("path") ? (array / check["path"].get<std::string>()).string() : array.string(), options);
  }

  // The answer to a check; throws Error.
  Json ask(const Json& check, bool named) const {
    const std::shared_ptr<Array> found = opened(check);
    Json request = Json::object();
    for (const char* key : {"ranges", "label_ranges", "layout", "where", "aggregates", "fields", "select"})
      if (check.contains(key) && !check[key].is_null()) request[key] = check[key];
    if (named && !request.contains("fields") && !request.contains("aggregates")) {
      request["fields"] = Json::array();
      for (const auto& [name, values] : check["result"].items()) request["fields"].push_back(name);
    }
    Query query = query_of(request, found->schema());
    query.work.threads = threads;
    query.as_libtiledb = found->schema().format == "tiledb";
    const std::string answer = result_json(collect(*found->query(query)), dialect_of(query, found->schema()));
    return parse_json(bytes_of(answer), "the answer");
  }

  std::optional<std::string> must_read(const Json& check) const {
    const bool named =
        check["result"].is_object() && kind != "carray" && (!check.contains("select") || kind == "ctable");
    try {
      return difference(check, named, ask(check, named));
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::optional<std::string> must_fail(const Json& check) const {
    try {
      ask(check, false);
      return "read something that is damaged";
    } catch (const Error&) {
      return std::nullopt;
    }
  }
};

std::vector<std::string> run(const fs::path& folder, unsigned threads, std::size_t& checks) {
  Case one;
  one.array = fs::exists(folder / "array") ? folder / "array" : folder / "group";
  one.document = parse_json(bytes_of(file_text(folder / "case.json")), "case.json");
  one.threads = threads;
  const Json& document = one.document;
  if (document.contains("schema") && document["schema"].is_object()) one.kind = document["schema"].value("kind", "");
  std::vector<std::string> wrong;
  const auto note = [&](const std::string& name, const std::optional<std::string>& problem) {
    ++checks;
    if (problem) wrong.push_back(name + ": " + *problem);
  };
  if ((document.contains("error") && !document["error"].is_null()) || document.value("open_fails", false)) {
    note("open", one.must_fail(Json::object()));
    return wrong;
  }
  for (const Json& check : document.value("checks", Json::array())) {
    const bool error = check.contains("error") && !check["error"].is_null();
    if (one.kind == "broken" || ((!check.contains("result") || check["result"].is_null()) && !error)) continue;
    note(check.value("name", "?"), error ? one.must_fail(check) : one.must_read(check));
  }
  for (const Json& check : document.value("fails", Json::array()))
    note("must fail", one.must_fail(check.is_object() ? check : Json{{"select", check}}));
  if (one.kind == "broken" || one.kind == "damaged") return wrong;
  try {
    for (const std::string& line : wrong_facts(folder, document, threads, checks)) wrong.push_back(line);
    if (probe(one.array.string()).kind == ObjectKind::array)
      for (const std::string& line : wrong_statistics(*one.opened(Json::object()), threads, checks))
        wrong.push_back(line);
  } catch (const Error& error) {
    wrong.push_back(error.what());
  }
  return wrong;
}

std::set<std::string> expected_failures(const fs::path& list) {
  std::set<std::string> names;
  std::istringstream lines(file_text(list));
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') names.insert(line.substr(0, line.find(' ')));
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: test_conformance FOLDER EXPECTED_FAILURES [PATTERN]\n");
    return 2;
  }
  const fs::path root = argv[1];
  const std::string pattern = argc > 3 ? argv[3] : "";
  const std::set<std::string> expected = expected_failures(argv[2]);
  std::size_t cases = 0, checks = 0, failed = 0;
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
    if (entry.path().filename() == "case.json") folders.push_back(entry.path().parent_path());
  for (const fs::path& folder : folders) {
    const std::string name = fs::relative(folder, root).string();
    if (name.find(pattern) == std::string::npos || name.find("quirk") != std::string::npos || expected.contains(name))
      continue;
    ++cases;
    for (const unsigned threads : {1u, 8u}) {
      const std::vector<std::string> wrong = run(folder, threads, checks);
      for (const std::string& line : wrong) std::printf("%s (%u threads): %s\n", name.c_str(), threads, line.c_str());
      if (wrong.empty()) continue;
      ++failed;
      break;
    }
  }
  std::printf("%zu cases, %zu checks, %zu cases failed\n", cases, checks, failed);
  return failed == 0 && cases > 0 ? 0 : 1;
}

}  // namespace tegula::conformance

int main(int argc, char** argv) { return tegula::conformance::main(argc, argv); }
