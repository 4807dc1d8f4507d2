#include "store/s3/profile_file.h"

#include <algorithm>
#include <optional>

#include "base/fail.h"
#include "store/objects/small_file.h"

namespace tegula::s3 {

namespace {

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

void add_profile(Profile& into, const std::string& path, const std::string& section, bool& known) {
  const std::optional<std::string> text = objects::small_file(path);
  if (!text) return;
  auto profiles = parse_profiles(*text);
  const auto at = profiles.find(section);
  if (at == profiles.end()) return;
  known = true;
  into.merge(at->second);  // what is there already stays
}

}  // namespace

std::map<std::string, Profile> parse_profiles(std::string_view text) {
  std::map<std::string, Profile> profiles;
  Profile* profile = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view line = without_spaces(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      std::string_view name = without_spaces(line.substr(1, std::min(line.find(']'), line.size()) - 1));
      constexpr std::string_view kWord = "profile ";
      if (name.starts_with(kWord)) name = without_spaces(name.substr(kWord.size()));
      profile = &profiles[std::string(name)];
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!profile || equals == std::string_view::npos || raw.front() == ' ' || raw.front() == '\t') continue;
    std::string_view value = without_spaces(line.substr(equals + 1));
    if (const std::size_t comment = value.find(" #"); comment != std::string_view::npos)
      value = without_spaces(value.substr(0, comment));
    (*profile)[std::string(without_spaces(line.substr(0, equals)))] = value;
  }
  return profiles;
}

Profile read_profile(const objects::Environment& environment, const std::string& name) {
  std::string wanted = name.empty() ? environment("AWS_PROFILE") : name;
  const bool given = !wanted.empty();
  if (!given) wanted = "default";
  const std::string home = environment("HOME");
  std::string credentials = environment("AWS_SHARED_CREDENTIALS_FILE"), config = environment("AWS_CONFIG_FILE");
  if (credentials.empty() && !home.empty()) credentials = home + "/.aws/credentials";
  if (config.empty() && !home.empty()) config = home + "/.aws/config";
  Profile profile;
  bool known = false;
  if (!credentials.empty()) add_profile(profile, credentials, wanted, known);
  if (!config.empty()) add_profile(profile, config, wanted, known);
  if (given && !known)
    fail(ErrorKind::not_found, "the profile '{}' is neither in {} nor in {}", wanted, credentials, config);
  return profile;
}

}  // namespace tegula::s3
