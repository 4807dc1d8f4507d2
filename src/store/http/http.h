// The words of HTTP: requests, answers, and where bodies go.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/bytes.h"

namespace tegula::http {

struct Header {
  std::string name;
  std::string value;
};
using Headers = std::vector<Header>;

// The value of a header of an answer, whose names are in lower case; null when it is not there.
const std::string* find(const Headers& headers, std::string_view name);

// What to do with the rest of a body.
enum class Rest : std::uint8_t {
  wanted,
  unwanted,   // the transfer ends here, as if this had been all
  too_large,  // it ends here, as Failure::limit
};

// Receives the body of an answer as it arrives. An exception from it ends the request and reaches whoever runs it.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // All headers are there, and no byte of the body yet. Called anew when the request is tried again: what came before
  // is void.
  virtual void begin(int status, const Headers& headers) = 0;
  virtual void take(ByteView bytes) = 0;
  // Asked after each take(): a server may send more than it was asked for, without end.
  virtual Rest rest() const { return Rest::wanted; }
};

// Sent as it stands: the path is not changed, nothing is added to the query. Views and pointers are borrowed until the
// request has ended.
struct Request {
  std::string method = "GET";
  std::string url;  // http:// or https://
  Headers headers;
  std::vector<ByteView> body;
  // Gets the bodies of answers 200 and 206. The others, and all without a sink, become Answer::body.
  BodySink* sink = nullptr;
  std::uint64_t body_limit = 16ull << 20;             // of Answer::body; more is a failure
  int redirects = 0;                                  // followed at most, never from https to http
  std::chrono::milliseconds connect_timeout{10'000};  // until there is a connection
  std::chrono::milliseconds total_timeout{0};         // of one try; 0: as long as bytes arrive
  std::chrono::seconds stall_timeout{30};             // without a byte
};

enum class Failure : std::uint8_t {
  none,      // a whole answer, whatever its status
  connect,   // no connection: refused, no such host, no route
  transfer,  // reset, cut short, silent for too long
  limit,     // the body is larger than body_limit, or than its sink takes
  fatal,     // trying again does not help: the certificate, the URL
};

struct Answer {
  int status = 0;  // 0: none
  Headers headers;
  Bytes body;
  Failure failure = Failure::none;
  std::string failure_text;    // what the network said
  std::uint64_t received = 0;  // bytes of the body
  // The transport sent the request twice, because a kept connection broke before the answer: the server may have done
  // it twice.
  bool resent = false;
  std::chrono::microseconds took{0};
};

// "bytes 5-9/20": the range of an answer and the size of the whole; "bytes */20" has no range, ".../*" no size.
struct ContentRange {
  std::optional<std::uint64_t> first, last;
  std::optional<std::uint64_t> size;
};
std::optional<ContentRange> parse_content_range(std::string_view text);
// Content-Length; nullopt when it is absent or no number.
std::optional<std::uint64_t> content_length(const Headers& headers);
// "Fri, 24 May 2013 05:00:00 GMT"; nullopt when it is no such date.
std::optional<std::chrono::system_clock::time_point> parse_date(const std::string& text);
// "bytes=5-9" and "bytes=-5".
std::string range_of(std::uint64_t offset, std::uint64_t length);
std::string suffix_of(std::uint64_t length);

}  // namespace tegula::http
