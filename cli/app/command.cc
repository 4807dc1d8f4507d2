#include "app/command.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <utility>

#include "app/app_text.h"
#include "app/progress.h"
#include "base/current_work.h"
#include "tegula/error.h"
#include "tegula/version.h"

namespace tegula::cli {

namespace {

CLI::App& app_of(void* app) { return *static_cast<CLI::App*>(app); }

constexpr const char* kGlobalHelp =
    "Everywhere:\n"
    "  --json  --quiet  --threads N  --memory SIZE  --store-option NAME=VALUE  --cache DIR[:SIZE]\n"
    "  --trace-io  --stats  --help\n";

// Exit codes by kind: a request that makes no sense is a usage error, everything else is about the data.
int code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return kUsage;
    case ErrorKind::cancelled:
      return kStopped;
    default:
      return kFailure;
  }
}

// Stricter than the option parser, which reads -1 as the largest number.
std::uint64_t whole_number(const std::string& text, const char* names) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size())
    throw CLI::ValidationError(names, "'" + text + "' is not a whole number from 0 to 2^64 - 1");
  return n;
}

// The first word, when it is none of the verbs.
std::string unknown_verb(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--threads" || word == "--memory" || word == "--store-option" || word == "--cache") ++i;
    if (word.starts_with("-")) continue;
    const std::vector<const CLI::App*> verbs = app.get_subcommands(nullptr);
    const bool known =
        std::any_of(verbs.begin(), verbs.end(), [&](const CLI::App* verb) { return verb->get_name() == word; });
    return known ? "" : word;
  }
  return "";
}

// The edit distance of two words.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, corner + (a[i] != b[j])});
      corner = above;
    }
  }
  return row[b.size()];
}

// "; did you mean 'info'?", when a verb is close enough.
std::string hint(const CLI::App& app, const std::string& word) {
  std::string best;
  std::size_t least = 3;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    const std::string& name = verb->get_name();
    const std::size_t away = name.starts_with(word) && word.size() > 1 ? 1 : distance(word, name);
    if (away >= least || away >= name.size() || verb->get_group().empty()) continue;
    least = away;
    best = name;
  }
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

int report(const Globals& globals, const char* text, int code) {
  std::fflush(stdout);
  // The progress bar of work that threw is still there.
  if (globals.work.progress) globals.work.progress->end();
  std::fprintf(stderr, "tegula: %s\n", text);
  return code;
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  std::string path = verb == &app ? "tegula" : "tegula " + verb->get_name();
  if (verb->get_parent() && verb->get_parent()->get_parent())
    path = "tegula " + verb->get_parent()->get_name() + " " + verb->get_name();
  std::fprintf(stderr, "tegula: %s\n`%s --help` shows what it takes.\n", error.what(), path.c_str());
  return kUsage;
}

void add_completion(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* sub = app.add_subcommand("completion", "print the completion script of a shell");
  auto shell = std::make_shared<std::string>();
  sub->add_option("shell", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  sub->footer("Examples:\n  source <(tegula completion bash)\n  tegula completion zsh > ~/.zsh/tegula.zsh");
  sub->callback([&app, &chosen, shell] {
    chosen = [&app, shell] {
      std::fputs(completion_script(app, *shell == "zsh").c_str(), stdout);
      return kOk;
    };
  });
}

// Used by the build, which installs the page; it is in no group, so --help does not list it.
void add_man(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* sub = app.add_subcommand("man", "print the manual page");
  sub->group("");
  sub->callback([&app, &chosen] {
    chosen = [&app] {
      std::fputs(man_page(app).c_str(), stdout);
      return kOk;
    };
  });
}

// The value may be a secret, and is in no message.
void add_storage(Globals& globals, const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError("--store-option", "expected NAME=VALUE, such as region=eu-west-1");
  globals.storage[option.substr(0, equals)] = option.substr(equals + 1);
}

void print_traffic(const Traffic& traffic) {
  std::fprintf(stderr, "%llu requests, %.2f MB received, %.2f MB sent, %llu retries\n",
               static_cast<unsigned long long>(traffic.requests), static_cast<double>(traffic.received) / 1e6,
               static_cast<double>(traffic.sent) / 1e6, static_cast<unsigned long long>(traffic.retries));
}

}  // namespace

Verb& Verb::argument(const char* name, std::string& into, const char* help) {
  app_of(app_).add_option(name, into, help)->required()->type_name("");
  return *this;
}
Verb& Verb::optional_argument(const char* name, std::string& into, const char* help) {
  app_of(app_).add_option(name, into, help)->type_name("");
  return *this;
}
Verb& Verb::arguments(const char* name, std::vector<std::string>& into, const char* help) {
  app_of(app_).add_option(name, into, help)->type_name("");
  return *this;
}
Verb& Verb::option(const char* names, std::string& into, const char* value, const std::string& help) {
  app_of(app_).add_option(names, into, help)->type_name(value);
  return *this;
}
Verb& Verb::option(const char* names, std::optional<std::string>& into, const char* value, const std::string& help) {
  app_of(app_)
      .add_option_function<std::string>(
          names, [&into](const std::string& text) { into = text; }, help)
      ->type_name(value);
  return *this;
}
Verb& Verb::option(const char* names, std::optional<std::uint64_t>& into, const char* value, const std::string& help) {
  app_of(app_)
      .add_option_function<std::string>(
          names, [&into, names](const std::string& text) { into = whole_number(text, names); }, help)
      ->type_name(value);
  return *this;
}
Verb& Verb::option(const char* names, std::vector<std::string>& into, const char* value, const std::string& help) {
  // One value per mention, so that an option never swallows the arguments after it.
  app_of(app_)
      .add_option(names, into, help)
      ->type_name(value)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  return *this;
}
Verb& Verb::choice(const char* names, std::string& into, std::vector<std::string> values, const char* help) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : "|") + value;
  app_of(app_).add_option(names, into, help)->check(CLI::IsMember(std::move(values)))->type_name(list);
  return *this;
}
Verb& Verb::flag(const char* names, bool& into, const char* help) {
  app_of(app_).add_flag(names, into, help);
  return *this;
}
Verb& Verb::examples(const char* lines) {
  app_of(app_).footer(std::string(kGlobalHelp) + "\nExamples:\n" + lines);
  return *this;
}
Verb Verb::verb(const char* name, const char* help) {
  CLI::App& app = app_of(app_);
  app.require_subcommand(1);
  CLI::App* sub = app.add_subcommand(name, help);
  sub->fallthrough();
  return Verb(sub, *chosen_);
}

void Verb::run(std::function<int()> action) {
  app_of(app_).callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

namespace {

// The words of the command, with "--" before those of the program that `run` starts: options behind it are not ours.
std::vector<char*> with_mark(int argc, char** argv) {
  static char mark[] = "--";
  std::vector<char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "run") return words;
  std::size_t at = 2;
  while (at < words.size() && words[at][0] == '-' && std::string_view(words[at]) != mark) ++at;
  if (at < words.size() && std::string_view(words[at]) != mark)
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), mark);
  return words;
}

}  // namespace

int run_command(int argc, char** argv, const std::vector<VerbEntry>& verbs, Globals& globals) {
  CLI::App app{"Opens, reads, queries, writes, converts and verifies chunked arrays: TileDB, bcolz, zarr.", "tegula"};
  app.set_version_flag("--version", std::string("tegula ") + version());
  app.require_subcommand(1);
  std::string memory;
  app.add_flag("--json", globals.json, "print JSON instead of text");
  app.add_flag("-q,--quiet", globals.quiet, "no progress and no notes on stderr");
  app.add_flag("--trace-io", globals.trace_io, "print every read and write of files, or every request, to stderr");
  app.add_flag("--stats", globals.stats, "print the number of requests to servers to stderr when done");
  app.add_option("--threads", globals.work.threads, "threads to use (default: all)")->type_name("N");
  app.add_option("--memory", memory, "memory to use at most (default 2GB)")->type_name("SIZE");
  std::vector<std::string> storage;
  app.add_option("--store-option", storage, "an option of s3://, gs://, az:// and http:// (repeatable)")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  std::string cache;
  app.add_option("--cache", cache, "keep parts of remote files in a folder (default size: 10GB)")
      ->type_name("DIR[:SIZE]");
  app.footer("`tegula VERB --help` shows what a verb takes, with examples.");
  std::function<int()> chosen;
  for (const VerbEntry& entry : verbs) {
    CLI::App* sub = app.add_subcommand(entry.name, entry.help);
    sub->fallthrough();
    entry.describe(Verb(sub, chosen), globals);
  }
  add_completion(app, chosen);
  add_man(app, chosen);
  try {
    const std::vector<char*> words = with_mark(argc, argv);
    app.parse(static_cast<int>(words.size()), words.data());
    if (!memory.empty()) globals.work.memory = parse_size(memory);
    for (const std::string& option : storage) add_storage(globals, option);
    if (!cache.empty()) globals.storage["cache"] = cache;
    const CurrentWork current(globals.work);  // what opens arrays waits for the network, too
    if (!globals.quiet && TerminalProgress::possible()) globals.work.progress = globals.progress;
    const int code = chosen ? chosen() : kUsage;
    if (globals.stats) print_traffic(*globals.traffic);
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      return report(globals, "the output could not be written", kFailure);
    return code;
  } catch (const CLI::Success& done) {
    const int code = app.exit(done);
    return std::cout.flush() ? code : report(globals, "the output could not be written", kFailure);
  } catch (const CLI::ParseError& error) {
    if (const std::string word = unknown_verb(app, argc, argv); !word.empty()) {
      std::fprintf(stderr, "tegula: '%s' is no verb%s\n`tegula --help` lists them.\n", word.c_str(),
                   hint(app, word).c_str());
      return kUsage;
    }
    return usage_error(app, error);
  } catch (const Error& error) {
    return report(globals, error.what(), code_of(error.kind()));
  } catch (const std::bad_alloc&) {
    return report(globals, "out of memory; --memory SIZE sets how much is used", kFailure);
  } catch (const std::exception& error) {
    return report(globals, error.what(), kFailure);
  }
}

}  // namespace tegula::cli
