// Reads every case of the unpacked corpus through the library, at 1 and 8 threads, and compares.
// usage: test_conformance FOLDER LISTS [PATTERN]; LISTS is the folder of expected_failures.txt and its neighbours.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "case_lists.h"
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
  const CaseLists& lists;
  std::string name;
  fs::path array = {};
  Json document = {};
  std::string kind = {};
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
      for (const auto& [field, values] : check["result"].items()) request["fields"].push_back(field);
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
    } catch (const Error& error) {
      return lists.wrong_error(name, check.value("name", ""), error);
    }
  }
};

std::vector<std::string> run(const CaseLists& lists, const std::string& name, const fs::path& folder, unsigned threads,
                             std::size_t& checks) {
  Case one{lists, name};
  one.array = fs::exists(folder / "array") ? folder / "array" : folder / "group";
  one.document = parse_json(bytes_of(file_text(folder / "case.json")), "case.json");
  one.threads = threads;
  const Json& document = one.document;
  if (document.contains("schema") && document["schema"].is_object()) one.kind = document["schema"].value("kind", "");
  std::vector<std::string> wrong;
  const auto note = [&](const std::string& check, const std::optional<std::string>& problem) {
    ++checks;
    if (problem) wrong.push_back(check + ": " + *problem);
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

// A case that the runner itself cannot take is a failure, too.
std::vector<std::string> run_any(const CaseLists& lists, const std::string& name, const fs::path& folder,
                                 unsigned threads, std::size_t& checks) {
  try {
    return run(lists, name, folder, threads, checks);
  } catch (const std::exception& error) {
    return {std::string("runner: ") + error.what()};
  }
}

// Names in the lists that are no cases.
std::vector<std::string> stale_names(const CaseLists& lists, const std::set<std::string>& cases) {
  std::vector<std::string> stale;
  const auto look = [&](const std::string& name) {
    if (!cases.contains(name.substr(0, name.find(':')))) stale.push_back(name);
  };
  for (const std::string& name : lists.failures) look(name);
  for (const std::string& name : lists.quirks) look(name);
  for (const auto& [name, error] : lists.errors) look(name);
  return stale;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: test_conformance FOLDER LISTS [PATTERN]\n");
    return 2;
  }
  const fs::path root = argv[1];
  const std::string pattern = argc > 3 ? argv[3] : "";
  const CaseLists lists(argv[2]);
  std::size_t cases = 0, checks = 0, failed = 0;
  std::vector<fs::path> folders;
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
    if (entry.path().filename() == "case.json") folders.push_back(entry.path().parent_path());
  for (const fs::path& folder : folders) {
    const std::string name = fs::relative(folder, root).string();
    names.insert(name);
    if (name.find(pattern) == std::string::npos) continue;
    ++cases;
    for (const unsigned threads : {1u, 8u}) {
      std::vector<std::string> wrong = run_any(lists, name, folder, threads, checks);
      if (lists.quirks.contains(name)) wrong.clear();  // that it did not crash is enough
      if (lists.failures.contains(name))
        wrong = wrong.empty() ? std::vector<std::string>{"passes, but is in expected_failures.txt"}
                              : std::vector<std::string>{};
      for (const std::string& line : wrong) std::printf("%s (%u threads): %s\n", name.c_str(), threads, line.c_str());
      if (wrong.empty()) continue;
      ++failed;
      break;
    }
  }
  for (const std::string& name : stale_names(lists, names)) {
    std::printf("%s is in a list, but is no case\n", name.c_str());
    ++failed;
  }
  std::printf("%zu cases, %zu checks, %zu cases failed\n", cases, checks, failed);
  return failed == 0 && cases > 0 ? 0 : 1;
}

}  // namespace tegula::conformance

int main(int argc, char** argv) { return tegula::conformance::main(argc, argv); }
