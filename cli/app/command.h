// Hides the option parser: verbs describe their arguments here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/traffic.h"
#include "tegula/work.h"

namespace tegula::cli {

// Exit codes of the command.
inline constexpr int kOk = 0, kProblems = 1, kUsage = 2, kFailure = 3, kStopped = 130;

// Options that every verb has.
struct Globals {
  bool json = false;
  bool quiet = false;
  bool trace_io = false;
  bool stats = false;
  std::map<std::string, std::string> storage;                      // --store-option, of remote stores
  std::shared_ptr<Traffic> traffic = std::make_shared<Traffic>();  // of the verb
  Work work;
  Progress* progress = nullptr;  // borrowed; becomes part of `work` unless quiet or stderr is no terminal
};

// A verb while it is being described. Borrows the variables it fills; they must live until the command ends.
class Verb {
 public:
  Verb(void* app, std::function<int()>& chosen) : app_(app), chosen_(&chosen) {}

  Verb& argument(const char* name, std::string& into, const char* help);
  Verb& optional_argument(const char* name, std::string& into, const char* help);
  Verb& arguments(const char* name, std::vector<std::string>& into, const char* help);
  // Names as "-f,--fields"; `value` is what the help calls the value.
  Verb& option(const char* names, std::string& into, const char* value, const std::string& help);
  Verb& option(const char* names, std::optional<std::string>& into, const char* value, const std::string& help);
  Verb& option(const char* names, std::optional<std::uint64_t>& into, const char* value, const std::string& help);
  Verb& option(const char* names, std::vector<std::string>& into, const char* value, const std::string& help);
  Verb& choice(const char* names, std::string& into, std::vector<std::string> values, const char* help);
  Verb& flag(const char* names, bool& into, const char* help);
  // Lines such as "tegula info temperatures".
  Verb& examples(const char* lines);
  // A verb below this one: `meta list`.
  Verb verb(const char* name, const char* help);
  // What to do when the verb was given; returns the exit code.
  void run(std::function<int()> action);

 private:
  void* app_;                     // CLI::App
  std::function<int()>* chosen_;  // runs after all arguments are known to be right
};

struct VerbEntry {
  const char* name;
  const char* help;
  void (*describe)(Verb verb, Globals& globals);
};

// Parses, runs the verb and returns the exit code: every error is printed here.
int run_command(int argc, char** argv, const std::vector<VerbEntry>& verbs, Globals& globals);

}  // namespace tegula::cli
