#include "app/app_text.h"

#include <fmt/format.h>

#include "tegula/version.h"

namespace tegula::cli {

namespace {

// "--fields -f" of a verb, for completion.
std::string option_words(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
    for (const std::string& name : option->get_snames()) words += "-" + name + " ";
  }
  return words;
}

std::vector<const CLI::App*> shown_verbs(const CLI::App& app) {
  std::vector<const CLI::App*> verbs = app.get_subcommands(nullptr);
  // A verb in no group is not listed anywhere.
  std::erase_if(verbs, [](const CLI::App* verb) { return verb->get_group().empty(); });
  return verbs;
}

// Text as troff takes it: no line of it is a request, and hyphens stay what a person types.
std::string troff(std::string_view text) {
  std::string out;
  bool start = true;
  for (const char c : text) {
    if (start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    start = c == '\n';
  }
  return out;
}

std::string option_synopsis(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += (names.empty() ? "" : ", ") + ("\\fB\\-" + name + "\\fR");
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "" : ", ") + ("\\fB\\-\\-" + troff(name) + "\\fR");
  if (names.empty()) return "\\fI" + troff(option.get_name()) + "\\fR";
  if (const std::string value = option.get_type_name(); !value.empty() && option.get_items_expected_max() > 0)
    names += " \\fI" + troff(value) + "\\fR";
  return names;
}

bool is_help(const CLI::Option& option) { return option.check_lname("help"); }

std::string options_text(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options())
    if (!is_help(*option)) out += ".TP\n" + option_synopsis(*option) + "\n" + troff(option->get_description()) + "\n";
  return out;
}

// "tegula read [OPTIONS] URI".
std::string synopsis(const CLI::App& app, const std::string& path) {
  std::string out = ".B " + troff(path) + "\n";
  bool options = false;
  std::string arguments;
  for (const CLI::Option* option : app.get_options()) {
    if (is_help(*option)) continue;
    if (option->nonpositional())
      options = true;
    else
      arguments += option->get_required() ? " " + option->get_name() : " [" + option->get_name() + "]";
  }
  return out + ".RI \"" + (options ? "[OPTIONS]" : "") + troff(arguments) + "\"\n";
}

// What follows "Examples:" in the footer of a verb.
std::string examples_text(const CLI::App& app) {
  constexpr std::string_view kTitle = "Examples:\n";
  const std::string footer = app.get_footer();
  const std::size_t at = footer.find(kTitle);
  if (at == std::string::npos) return {};
  return ".PP\nExamples:\n.PP\n.nf\n" + troff(std::string_view(footer).substr(at + kTitle.size())) + "\n.fi\n";
}

}  // namespace

std::string completion_script(const CLI::App& app, bool zsh) {
  std::string verbs, cases;
  for (const CLI::App* verb : shown_verbs(app)) {
    std::string words = option_words(*verb) + option_words(app);
    for (const CLI::App* below : verb->get_subcommands(nullptr))
      words += below->get_name() + " " + option_words(*below);
    verbs += verb->get_name() + " ";
    cases += "    " + verb->get_name() + ") words=\"" + words + "\" ;;\n";
  }
  std::string out = zsh ? "autoload -U compinit bashcompinit && compinit -u && bashcompinit\n" : "";
  out += "_tegula() {\n  local word verb=\"\" words cur=\"${COMP_WORDS[COMP_CWORD]}\"\n";
  out +=
      "  for word in \"${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}\"; do case \"$word\" in -*) ;; *) verb=\"$word\"; break "
      ";; "
      "esac; done\n";
  out += "  case \"$verb\" in\n    '') words=\"" + verbs + option_words(app) + "\" ;;\n" + cases + "  esac\n";
  out += "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _tegula tegula\n";
  return out;
}

std::string man_page(const CLI::App& app) {
  std::string out = fmt::format(".TH TEGULA 1 \"\" \"tegula {}\" \"User Commands\"\n", version());
  out += ".SH NAME\ntegula \\- chunked arrays of every format: TileDB, bcolz, zarr\n";
  out += ".SH SYNOPSIS\n.B tegula\n.I VERB\n[OPTIONS] ...\n";
  out += ".SH DESCRIPTION\n" + troff(app.get_description()) +
         " The verbs read the same for all of them; the format is found by looking.\n";
  out += ".SH OPTIONS OF EVERY VERB\n" + options_text(app) + ".TP\n\\fB\\-\\-help\\fR\nshow what a verb takes\n";
  out += ".SH VERBS\n";
  for (const CLI::App* verb : shown_verbs(app)) {
    const std::string path = "tegula " + verb->get_name();
    out += ".SS " + troff(verb->get_name()) + "\n" + troff(verb->get_description()) + ".\n";
    if (verb->get_subcommands(nullptr).empty()) out += ".PP\n" + synopsis(*verb, path) + options_text(*verb);
    for (const CLI::App* below : verb->get_subcommands(nullptr))
      out += ".PP\n" + synopsis(*below, path + " " + below->get_name()) + ".br\n" + troff(below->get_description()) +
             ".\n" + options_text(*below);
    out += examples_text(*verb);
  }
  out += ".SH EXIT STATUS\n";
  constexpr const char* kCodes[][2] = {
      {"0", "done"},
      {"1", "problems found: verify, repair, diff, convert \\-\\-verify, a failed request of read \\-\\-batch"},
      {"2", "wrong arguments; nothing was changed"},
      {"3", "not found, damaged, not supported, or the system failed"},
      {"130", "stopped by Ctrl\\-C"}};
  for (const auto& [code, meaning] : kCodes) out += fmt::format(".TP\n.B {}\n{}\n", code, meaning);
  return out;
}

}  // namespace tegula::cli
