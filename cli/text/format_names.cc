#include "text/format_names.h"

#include <vector>

#include "tegula/capabilities.h"

namespace tegula::cli {

std::string known_formats() {
  std::string text;
  const std::vector<std::string_view> names = formats();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view family = capabilities(names[i]).family;
    const bool goes_on = i > 0 && capabilities(names[i - 1]).family == family;
    const bool last = i + 1 == names.size() || capabilities(names[i + 1]).family != family;
    if (goes_on && !last) continue;
    text += goes_on ? " .. " : text.empty() ? "" : ", ";
    text += names[i];
  }
  return text;
}

std::string full_format(const std::string& name) {
  return name.empty() ? name : std::string(capabilities(name).format);
}

}  // namespace tegula::cli
