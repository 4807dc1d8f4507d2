#include "store/http/curl_request.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <new>

#include "tegula/version.h"

namespace tegula::http::curl {

namespace {

constexpr std::size_t kMostHeaders = 500;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

Failure failure_of(int result) {
  switch (result) {
    case kNoProxyHost:
    case kNoHost:
    case kNoConnection:
      return Failure::connect;
    case kUnsupportedProtocol:
    case kBadUrl:
    case kTooManyRedirects:
    case kBadCertificate:
    case kPeerNotVerified:
    case kBadCaFile:
      return Failure::fatal;
    default:
      return Failure::transfer;
  }
}

}  // namespace

EasyRequest::EasyRequest(const Library& curl) : curl_(curl), easy_(curl.easy_init()) {
  if (!easy_) throw std::bad_alloc();
}

EasyRequest::~EasyRequest() {
  curl_.easy_cleanup(easy_);
  curl_.slist_free_all(headers_);
}

void EasyRequest::prepare(Exchange& exchange, const TransportOptions& options) {
  exchange_ = &exchange;
  exchange.answer = {};
  begun_ = false;
  rest_ = Rest::wanted;
  part_ = at_ = 0;
  thrown_ = nullptr;
  error_[0] = 0;
  const Request& request = *exchange.request;
  curl_.easy_reset(easy_);  // keeps its connections

  set_text(kUrl, request.url.c_str());
  set_text(kUserAgent, "tegula/" TEGULA_VERSION);
  set_number(kNoSignal, 1);
  set_number(kPathAsIs, 1);
  set_number(kHttpVersion, kHttp11);
  set_number(kKeepAlive, 1);
  set_number(kBufferSize, 128 << 10);
  set_number(kUploadBufferSize, 512 << 10);
  set_number(kConnectTimeout, static_cast<long>(request.connect_timeout.count()));
  set_number(kTimeout, static_cast<long>(request.total_timeout.count()));
  set_number(kLowSpeedLimit, 1);
  set_number(kLowSpeedTime, static_cast<long>(request.stall_timeout.count()));
  set_number(kFollowLocation, request.redirects > 0);
  set_number(kMaxRedirects, request.redirects);
  // The texts came with 7.85; what was before them is still there.
  const bool secure = request.url.starts_with("https:");
  if (curl_.easy_setopt(easy_, kProtocols, "http,https") != kOk) set_number(kProtocolBits, kHttpBit | kHttpsBit);
  if (curl_.easy_setopt(easy_, kRedirectProtocols, secure ? "https" : "http,https") != kOk)
    set_number(kRedirectProtocolBits, secure ? kHttpsBit : kHttpBit | kHttpsBit);
  if (!options.ca_file.empty()) set_text(kCaInfo, options.ca_file.c_str());
  if (!options.verify_tls) {
    set_number(kVerifyPeer, 0);
    set_number(kVerifyHost, 0);
  }
  if (!options.proxy.empty()) set_text(kProxy, options.proxy.c_str());
  curl_.easy_setopt(easy_, kErrorBuffer, error_.data());
  curl_.easy_setopt(easy_, kPrivate, static_cast<void*>(this));
  curl_.easy_setopt(easy_, kHeaderFunction, &EasyRequest::on_header);
  curl_.easy_setopt(easy_, kHeaderData, static_cast<void*>(this));
  curl_.easy_setopt(easy_, kWriteFunction, &EasyRequest::on_body);
  curl_.easy_setopt(easy_, kWriteData, static_cast<void*>(this));
  set_body(request);
  set_headers(request);
}

void EasyRequest::set_body(const Request& request) {
  if (request.method == "HEAD") {
    set_number(kNoBody, 1);
    return;
  }
  if (request.method == "PUT" || request.method == "POST" || !request.body.empty()) {
    std::int64_t size = 0;
    for (const ByteView part : request.body) size += static_cast<std::int64_t>(part.size());
    set_number(kUpload, 1);
    curl_.easy_setopt(easy_, kUploadSize, size);
    curl_.easy_setopt(easy_, kReadFunction, &EasyRequest::on_read);
    curl_.easy_setopt(easy_, kReadData, static_cast<void*>(this));
    curl_.easy_setopt(easy_, kSeekFunction, &EasyRequest::on_seek);
    curl_.easy_setopt(easy_, kSeekData, static_cast<void*>(this));
  }
  set_text(kCustomRequest, request.method.c_str());
}

void EasyRequest::set_headers(const Request& request) {
  curl_.slist_free_all(headers_);
  headers_ = nullptr;
  const auto add = [&](const std::string& line) {
    List* longer = curl_.slist_append(headers_, line.c_str());
    if (!longer) throw std::bad_alloc();
    headers_ = longer;
  };
  // Else it waits a second for "100 Continue" before it sends a large body.
  add("Expect:");
  for (const Header& header : request.headers)
    add(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  curl_.easy_setopt(easy_, kHeaders, headers_);
}

void EasyRequest::take_header(std::string_view line) {
  Answer& answer = exchange_->answer;
  if (line.starts_with("HTTP/")) {  // of the answer, or of another one after "100 Continue" or a redirect
    answer.headers.clear();
    answer.body.clear();
    answer.status = 0;
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos)
      std::from_chars(line.data() + space + 1, line.data() + line.size(), answer.status);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || answer.headers.size() >= kMostHeaders) return;
  std::string name(trimmed(line.substr(0, colon)));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  answer.headers.push_back({std::move(name), std::string(trimmed(line.substr(colon + 1)))});
}

void EasyRequest::begin_body() {
  if (begun_) return;
  begun_ = true;
  const Answer& answer = exchange_->answer;
  if (exchange_->request->sink && (answer.status == 200 || answer.status == 206))
    exchange_->request->sink->begin(answer.status, answer.headers);
}

bool EasyRequest::take_body(ByteView bytes) {
  begin_body();
  Answer& answer = exchange_->answer;
  answer.received += bytes.size();
  if (exchange_->request->sink && (answer.status == 200 || answer.status == 206)) {
    exchange_->request->sink->take(bytes);
    rest_ = exchange_->request->sink->rest();
  } else if (bytes.size() > exchange_->request->body_limit - answer.body.size()) {
    rest_ = Rest::too_large;
  } else {
    answer.body.insert(answer.body.end(), bytes.begin(), bytes.end());
  }
  return rest_ == Rest::wanted;
}

std::size_t EasyRequest::give_body(MutableBytes into) {
  std::size_t given = 0;
  const std::vector<ByteView>& parts = exchange_->request->body;
  while (given < into.size() && part_ < parts.size()) {
    const std::size_t n = std::min(into.size() - given, parts[part_].size() - at_);
    std::copy_n(parts[part_].data() + at_, n, into.data() + given);
    given += n;
    at_ += n;
    if (at_ == parts[part_].size()) {
      ++part_;
      at_ = 0;
    }
  }
  return given;
}

bool EasyRequest::seek_body(std::int64_t offset) {
  const std::vector<ByteView>& parts = exchange_->request->body;
  if (part_ != 0 || at_ != 0) exchange_->answer.resent = true;
  auto rest = static_cast<std::uint64_t>(offset);
  for (part_ = 0; part_ < parts.size() && rest >= parts[part_].size(); ++part_) rest -= parts[part_].size();
  at_ = rest;
  return part_ < parts.size() || rest == 0;
}

std::exception_ptr EasyRequest::finish(int result) {
  Answer& answer = exchange_->answer;
  std::int64_t microseconds = 0;
  curl_.easy_getinfo(easy_, kTotalTime, &microseconds);
  answer.took = std::chrono::microseconds(microseconds);
  if (thrown_) return thrown_;
  // libcurl takes a body that was ended here for a failure.
  if ((result == kOk || rest_ == Rest::unwanted) && answer.status >= 200) {
    try {
      begin_body();
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }
  const bool too_large = rest_ == Rest::too_large;
  answer.failure = too_large ? Failure::limit : failure_of(result);
  answer.failure_text = too_large     ? "the answer is larger than expected"
                        : error_[0]   ? error_.data()
                        : result != 0 ? curl_.easy_strerror(result)
                                      : "the answer has no status";
  return nullptr;
}

// Exceptions must not pass through C: they wait in thrown_.
std::size_t EasyRequest::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& request = *static_cast<EasyRequest*>(self);
  try {
    request.take_header({data, size * count});
    return size * count;
  } catch (...) {
    request.thrown_ = std::current_exception();
    return 0;
  }
}

std::size_t EasyRequest::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& request = *static_cast<EasyRequest*>(self);
  try {
    return request.take_body(std::as_bytes(std::span(data, size * count))) ? size * count : 0;
  } catch (...) {
    request.thrown_ = std::current_exception();
    return 0;
  }
}

std::size_t EasyRequest::on_read(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<EasyRequest*>(self)->give_body(std::as_writable_bytes(std::span(data, size * count)));
}

int EasyRequest::on_seek(void* self, std::int64_t offset, int origin) {
  return origin == SEEK_SET && offset >= 0 && static_cast<EasyRequest*>(self)->seek_body(offset) ? kSeekOk : kSeekFail;
}

}  // namespace tegula::http::curl
