#include "store/objects/bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/current_work.h"
#include "base/fail.h"

namespace tegula::objects {

namespace {

constexpr std::uint64_t kLargestAnswer = 16ull << 20;
constexpr std::size_t kLongestMessage = 300;

}  // namespace

bool one_of(std::string_view text, std::initializer_list<std::string_view> texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

Bucket::Bucket(Settings settings, std::shared_ptr<http::Client> client, std::shared_ptr<CredentialChain> credentials)
    : settings_(std::move(settings)), client_(std::move(client)), credentials_(std::move(credentials)) {}

Bucket::Place Bucket::place_of(const std::string& endpoint) {
  const std::size_t slashes = endpoint.find("://");
  Place place{endpoint.substr(0, slashes), endpoint.substr(slashes + 3), ""};
  if (const std::size_t slash = place.host.find('/'); slash != std::string::npos) {
    place.path = place.host.substr(slash);
    place.host.resize(slash);
  }
  return place;
}

http::Call Bucket::call(std::string method, std::string_view key, const Query& query, http::Headers headers,
                        std::vector<ByteView> body) {
  http::Call call;
  call.request.method = std::move(method);
  call.request.headers = std::move(headers);
  call.request.body = std::move(body);
  call.request.body_limit = kLargestAnswer;
  call.request.connect_timeout = settings_.connect_timeout;
  call.request.stall_timeout = settings_.stall_timeout;
  for (http::Header& header : usual_headers()) call.request.headers.push_back(std::move(header));
  call.key = uri(key);
  for (const http::Header& header : call.request.headers)
    if (header.name == "range") call.range = header.value;
  Target target{std::string(key), query, settings_.anonymous ? "" : payload_hash(call.request.body)};
  if (!query.empty()) call.key += "?" + query_text(query);
  const auto used = std::make_shared<Used>();
  call.prepare = [this, used, target = std::move(target)](http::Request& request) {
    used->clock_error = clock_error_;
    // Those of an earlier try do not stay.
    std::erase_if(request.headers, [](const http::Header& header) {
      return header.name == "authorization" || header.name.ends_with("-security-token");
    });
    used->credentials = settings_.anonymous ? Credentials{} : credentials_->get();
    prepare(request, target, *used);
  };
  call.judge = [this, used](const http::Answer& answer) { return judge(answer, *used); };
  return call;
}

void Bucket::run(std::span<http::Call> calls, const std::function<void(std::size_t)>& done) {
  const Work* work = CurrentWork::get();
  client_->run(calls, work ? *work : Work{}, done);
}

bool Bucket::ok(const http::Call& call) {
  return call.answer.failure == http::Failure::none && call.answer.status >= 200 && call.answer.status < 300;
}

http::Headers Bucket::condition(const std::string& state) const {
  if (state.empty()) return {{"if-none-match", "*"}};
  return {{"if-match", state}};
}

bool Bucket::condition_failed(const http::Call& call, const std::string& state) const {
  return call.answer.failure == http::Failure::none &&
         (call.answer.status == 412 || (call.answer.status == 404 && !state.empty() && absent(call)));
}

void Bucket::remove(std::span<const std::string> keys) {
  std::vector<http::Call> calls;
  for (const std::string& key : keys) calls.push_back(call("DELETE", key));
  run(calls, [&](std::size_t i) {
    if (!ok(calls[i]) && !absent(calls[i])) fail_answer(calls[i]);
  });
}

bool Bucket::learn_time(const http::Answer& answer, const Used& used) {
  const std::string* text = http::find(answer.headers, "date");
  const auto theirs = text ? http::parse_date(*text) : std::nullopt;
  if (!theirs) return false;
  const auto error = std::chrono::duration_cast<std::chrono::seconds>(*theirs - client_->clock().date()).count();
  if (std::abs(error - used.clock_error) < 60) return false;
  clock_error_ = error;
  return true;
}

std::chrono::system_clock::time_point Bucket::their_time(const Used& used) const {
  return client_->clock().date() + std::chrono::seconds(used.clock_error);
}

void Bucket::fail_answer(const http::Call& call) const {
  const http::Answer& answer = call.answer;
  const std::string tries = call.tries > 1 ? fmt::format(", {} times", call.tries) : "";
  const std::string_view what = call.key;
  if (answer.failure != http::Failure::none)
    fail(ErrorKind::io, "{}: {} failed{}: {}", what, call.request.method, tries, answer.failure_text);
  const Answered answered = read_answer(answer.body);
  const std::string code = code_of(answer);
  std::string said = code;
  if (std::string message = answered.text("Message"); !message.empty() && answered.root == "Error") {
    if (message.size() > kLongestMessage) message.resize(kLongestMessage);
    std::ranges::replace(message, '\n', ' ');
    said += fmt::format(" ({})", message);
  }
  const std::string text = fmt::format("{}: the server answered {}{}{} to {}{}", what, answer.status,
                                       said.empty() ? "" : " ", said, call.request.method, tries);
  const Meaning meaning = meaning_of(answer.status, code);
  if (!meaning.hint.empty()) fail(meaning.kind, "{}; {}", text, meaning.hint);
  if (meaning.kind != ErrorKind::permission) fail(meaning.kind, "{}", text);
  const std::string source = credentials_->source();
  if (settings_.anonymous) fail(meaning.kind, "{}; the request was anonymous", text);
  if (source == "none") fail(meaning.kind, "{}; no keys were found, so that the request was anonymous", text);
  fail(meaning.kind,
       "{}; the keys came from {}; a public bucket is read with the store option "
       "anonymous=true",
       text, source);
}

}  // namespace tegula::objects
