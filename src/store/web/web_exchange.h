// Questions to a web server about its files, many at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/http/client.h"
#include "store/web/web_url.h"

namespace tegula {

// A file that is asked for. Borrowed until ask() has returned.
struct WebQuestion {
  std::string_view key;
  std::string method = "GET";
  std::string range;               // the value of the Range header; "" for all of it
  std::string unless;              // a lasting_state(): the answer may be that the file still has it
  http::BodySink* sink = nullptr;  // gets the file, or the range
  // Why what the sink got cannot be used, so that the question is asked again; "" when it can.
  std::function<std::string()> problem;
};

enum class WebOutcome : std::uint8_t {
  there,
  absent,
  same,         // it still has that state
  outside,      // the range begins behind the end of the file
  unsupported,  // the server does not answer this method
};

struct WebAnswer {
  WebOutcome outcome = WebOutcome::absent;
  int status = 0;
  http::Headers headers;
};

// Asks all questions and calls answered(i) on this thread as their answers come. Follows redirections, but for those
// that only add a slash: they say that the name is that of a folder, which is absent as a file. Failures go to
// failed(i, error) and, without it, are thrown.
void ask(http::Client& client, const WebUrl& url, std::span<WebQuestion> questions,
         const std::function<void(std::size_t, const WebAnswer&)>& answered,
         const std::function<void(std::size_t, std::exception_ptr)>& failed = {});

// What tells one state of a file from another: its ETag, or else the time of its last change. "" when the server says
// neither.
std::string validator(const http::Headers& headers);
// The same where it tells all states from each other: a time of a change just before the answer, which counts seconds,
// does not, because the file may have changed again in that second.
std::string lasting_state(const http::Headers& headers);

}  // namespace tegula
