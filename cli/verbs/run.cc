// `tegula run`: runs a program that was made for libtiledb on this engine. libtegula-tiledb.so is loaded in front of
// it, under the names by which wheels and programs ask for libtiledb, so that the original is never opened.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "app/verbs.h"
#include "base/fail.h"

namespace tegula::cli {

namespace {

namespace fs = std::filesystem;

struct Flags {
  std::vector<std::string> program;
  bool verbose = false;
};

constexpr std::string_view kLibrary = "libtegula-tiledb.so";
constexpr std::string_view kRelease = ".so.2.30";                  // whose ABI it has
constexpr std::string_view kWheel = "libtiledb-edd2b82f.so.2.30";  // in the wheels of TileDB-Py 0.36.1
constexpr std::string_view kProgram = "libtiledb.so.2.30";         // what programs are linked with

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Beside the command, as it is built; or where it is installed.
fs::path find_library() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<fs::path> places{here / kLibrary, here / ".." / TEGULA_LIBDIR / kLibrary};
  for (const fs::path& place : places)
    if (fs::exists(place, error)) return fs::weakly_canonical(place);
  fail(ErrorKind::not_found, "there is no {} in '{}' or '{}'; build it with: scripts/build release tegula_tiledb",
       kLibrary, places[0].parent_path().string(), places[1].parent_path().lexically_normal().string());
}

// The path as it is found, which may be a link into another tree: a virtual environment is where its links are.
fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return fs::absolute(name);
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path candidate = fs::path(path.substr(begin, end - begin)) / name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return fs::absolute(candidate);
    begin = end + 1;
  }
  fail(ErrorKind::not_found, "there is no program '{}' in PATH", name);
}

// Names of libtiledb in the folders that wheels make beside the packages of a Python tree.
struct Wheels {
  std::vector<std::string> names;
  std::vector<std::string> others;  // of other releases, which stay as they are
};
void look_into(const fs::path& prefix, Wheels& found) {
  std::error_code error;
  for (const char* lib : {"lib", "lib64"})
    for (const fs::directory_entry& python : fs::directory_iterator(prefix / lib, error)) {
      if (!python.path().filename().string().starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"})
        for (const fs::directory_entry& file :
             fs::directory_iterator(python.path() / packages / "tiledb.libs", error)) {
          const std::string name = file.path().filename().string();
          if (!name.starts_with("libtiledb-")) continue;
          (name.ends_with(kRelease) ? found.names : found.others).push_back(name);
        }
    }
}

Wheels find_wheels(const fs::path& program) {
  Wheels found;
  found.names = {std::string(kWheel)};
  for (const fs::path& prefix : {program.parent_path().parent_path(), fs::path(environment("VIRTUAL_ENV")),
                                 fs::path(environment("CONDA_PREFIX")), fs::path(environment("HOME")) / ".local",
                                 fs::path("/usr/local"), fs::path("/usr")})
    if (!prefix.empty()) look_into(prefix, found);
  for (std::vector<std::string>* names : {&found.names, &found.others}) {
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
  }
  return found;
}

// A folder with links to the library under all its names; children look there, too. Stays for the next run.
fs::path link_folder(const fs::path& library, const std::vector<std::string>& names) {
  const std::string cache = environment("XDG_CACHE_HOME");
  const fs::path folder = (cache.empty() ? fs::path(environment("HOME")) / ".cache" : fs::path(cache)) / "tegula" /
                          fmt::format("run-{:016x}", std::hash<std::string>{}(library.string()));
  std::error_code error;
  fs::create_directories(folder, error);
  for (const std::string& name : names) {
    if (fs::read_symlink(folder / name, error) == library) continue;
    // Renamed into place, so that a run beside this one never misses it.
    const fs::path made = folder / fmt::format(".{}.{}", name, getpid());
    fs::remove(made, error);
    fs::create_symlink(library, made, error);
    if (!error) fs::rename(made, folder / name, error);
    if (error)
      fail(ErrorKind::io, "cannot make the link '{}': {}; XDG_CACHE_HOME names the folder for such links",
           (folder / name).string(), error.message());
  }
  return folder;
}

void put_in_front(const char* variable, const std::string& what, char separator) {
  const std::string before = environment(variable);
  setenv(variable, before.empty() ? what.c_str() : (what + separator + before).c_str(), 1);
}

int run(const Flags& flags) {
  std::vector<std::string> words = flags.program;
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty())
    fail(ErrorKind::invalid_argument, "there is no program to run: tegula run -- PROGRAM ARGUMENTS...");
  const fs::path library = find_library(), program = find_program(words.front());
  const Wheels wheels = find_wheels(program);
  std::vector<std::string> names = wheels.names;
  names.emplace_back(kProgram);
  const fs::path folder = link_folder(library, names);
  if (flags.verbose) {
    fmt::print(stderr, "tegula: {} stands in for {}\n", library.string(), fmt::join(names, ", "));
    for (const std::string& other : wheels.others)
      fmt::print(stderr, "tegula: {} is another release and stays as it is\n", other);
    fmt::print(stderr, "tegula: running {}\n", program.string());
  }
  // Found by name in the folder, and not by path: what is asked for by one of these names is then there already.
  put_in_front("LD_LIBRARY_PATH", folder.string(), ':');
  put_in_front("LD_PRELOAD", fmt::format("{}", fmt::join(names, " ")), ' ');
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  fail(ErrorKind::io, "cannot run '{}': {}", program.string(), std::strerror(errno));
}

}  // namespace

void describe_run(Verb verb, Globals&) {
  auto flags = std::make_shared<Flags>();
  verb.flag("-v,--verbose", flags->verbose, "say what is put in front of the program")
      .arguments("program", flags->program, "what to run, and its arguments")
      .examples("  tegula run -- python analysis.py --year 2026\n  tegula run -v -- ./program-linked-with-tiledb")
      .run([flags] { return run(*flags); });
}

}  // namespace tegula::cli
