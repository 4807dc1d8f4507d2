// The address of a folder on a web server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tegula {

// "https://user:word@host/path/?token=1": the path without slashes at its end, and what must never be shown apart from
// it.
class WebUrl {
 public:
  // http:// and https://. Throws invalid_argument for other URLs and such without a host. A fragment (#...) is dropped.
  explicit WebUrl(std::string_view url);

  // The address of a file below it, with the query. Bytes of the key that have a meaning in URLs are escaped.
  std::string of(std::string_view key) const;
  // The same for people: without the query, the user and the password, and not escaped.
  std::string shown(std::string_view key) const;
  // Another text for another user or query, which it does not show.
  std::string identity() const;

 private:
  std::string base_, shown_, query_;
  std::string user_;  // "user:word@"
};

// Where an answer of `from` leads to: its Location, absolute or relative. Nothing when it leads away from https, or to
// no web address.
std::optional<std::string> redirected(std::string_view from, std::string_view location);
// Is `to` the address `from` with a slash at its end? So web servers answer when the name is that of a folder.
bool is_folder_of(std::string_view from, std::string_view to);

}  // namespace tegula
