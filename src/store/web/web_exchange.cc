#include "store/web/web_exchange.h"

#include <algorithm>
#include <vector>

#include "base/current_work.h"
#include "base/fail.h"

namespace tegula {

namespace {

constexpr int kMostRedirections = 5;
constexpr std::chrono::seconds kOldEnough{60};
constexpr std::size_t kRequestsAtOnce = 1024;  // that are held in memory

std::string_view header(const http::Headers& headers, std::string_view name) {
  const std::string* value = http::find(headers, name);
  return value ? std::string_view(*value) : std::string_view();
}

bool is_page(const http::Headers& headers) { return header(headers, "content-type").starts_with("text/html"); }

// Why an answer is not the file, whatever its body is; "" when it may be.
std::string not_the_file(const http::Headers& headers) {
  if (is_page(headers)) return "the server sent a page (text/html), not the file";
  const std::string_view encoding = header(headers, "content-encoding");
  if (encoding.empty() || encoding == "identity") return "";
  return fmt::format("the server sends it encoded ({}), though it was asked not to", encoding);
}

http::Call call_for(const WebUrl& url, const WebQuestion& question) {
  http::Call call;
  call.key = question.key;
  call.request.method = question.method;
  call.request.url = url.of(question.key);
  call.request.sink = question.sink;
  call.request.headers.push_back({"Accept-Encoding", "identity"});
  if (!question.range.empty()) {
    call.request.headers.push_back({"Range", question.range});
    call.range = question.range.substr(question.range.find('=') + 1);
  }
  if (!question.unless.empty()) {
    const bool etag = question.unless.find('"') != std::string::npos;
    call.request.headers.push_back({etag ? "If-None-Match" : "If-Modified-Since", question.unless});
  }
  call.judge = [&question](const http::Answer& answer) {
    const http::Verdict verdict = http::usual_verdict(answer);
    const bool body = answer.failure == http::Failure::none && (answer.status == 200 || answer.status == 206);
    if (verdict != http::Verdict::done || !body || !not_the_file(answer.headers).empty()) return verdict;
    return question.problem && !question.problem().empty() ? http::Verdict::again : verdict;
  };
  return call;
}

bool is_redirection(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Where to ask in its place; nothing when the answer is final.
std::optional<std::string> next_place(const http::Call& call) {
  const http::Answer& answer = call.answer;
  if (answer.failure != http::Failure::none || !is_redirection(answer.status)) return std::nullopt;
  return redirected(call.request.url, header(answer.headers, "location"));
}

[[noreturn]] void refuse(const http::Call& call, const std::string& name) {
  const http::Answer& answer = call.answer;
  const std::string tries = call.tries > 1 ? fmt::format(", {} times", call.tries) : "";
  if (answer.failure != http::Failure::none) fail(ErrorKind::io, "{}: {}{}", name, answer.failure_text, tries);
  if (answer.status == 401 || answer.status == 403)
    fail(ErrorKind::permission,
         "{}: the server answered {}: it denies access, or hides that there is no such file; this is not taken for "
         "absence",
         name, answer.status);
  if (is_redirection(answer.status))
    fail(ErrorKind::io, "{}: the server leads elsewhere ({}) too often, or to where it may not", name, answer.status);
  fail(ErrorKind::io, "{}: {}{}", name, http::failure_text(answer), tries);
}

WebOutcome outcome_of(const http::Call& call, const WebQuestion& question, const std::string& name) {
  const http::Answer& answer = call.answer;
  if (answer.failure != http::Failure::none) refuse(call, name);
  switch (answer.status) {
    case 404:
    case 410:
      return WebOutcome::absent;
    case 304:
      if (!question.unless.empty()) return WebOutcome::same;
      refuse(call, name);
    case 416:
      if (!question.range.empty()) return WebOutcome::outside;
      refuse(call, name);
    case 405:
    case 501:
      if (question.method != "GET") return WebOutcome::unsupported;
      refuse(call, name);
    case 200:
    case 206:
      break;
    default:
      refuse(call, name);
  }
  // A page to log in, or one in place of everything that is not there: as 403, it hides which.
  if (const std::string reason = not_the_file(answer.headers); !reason.empty())
    fail(is_page(answer.headers) ? ErrorKind::permission : ErrorKind::io, "{}: {}", name, reason);
  if (question.problem)
    if (const std::string problem = question.problem(); !problem.empty()) fail(ErrorKind::io, "{}: {}", name, problem);
  return WebOutcome::there;
}

// The questions from `first` to `end`.
void ask_some(http::Client& client, const WebUrl& url, std::span<WebQuestion> questions, std::size_t first,
              std::size_t end, const std::function<void(std::size_t, const WebAnswer&)>& answered,
              const std::function<void(std::size_t, std::exception_ptr)>& failed) {
  std::vector<http::Call> calls;
  std::vector<std::size_t> question_of;
  for (std::size_t i = first; i < end; ++i) {
    calls.push_back(call_for(url, questions[i]));
    question_of.push_back(i);
  }
  const Work* work = CurrentWork::get();
  for (int round = 0; !calls.empty(); ++round) {
    std::vector<http::Call> elsewhere;
    std::vector<std::size_t> elsewhere_of;
    client.run(calls, work ? *work : Work{}, [&](std::size_t at) {
      http::Call& call = calls[at];
      const std::size_t i = question_of[at];
      const std::string name = url.shown(questions[i].key);
      WebAnswer answer{WebOutcome::absent, call.answer.status, call.answer.headers};
      try {
        if (const std::optional<std::string> place = next_place(call)) {
          if (is_folder_of(call.request.url, *place)) {
            answered(i, answer);
            return;
          }
          if (round < kMostRedirections) {
            http::Call again = call_for(url, questions[i]);
            again.request.url = *place;
            elsewhere.push_back(std::move(again));
            elsewhere_of.push_back(i);
            return;
          }
        }
        answer.outcome = outcome_of(call, questions[i], name);
      } catch (const Error& error) {
        if (!failed || error.kind() == ErrorKind::cancelled) throw;
        failed(i, std::current_exception());
        return;
      }
      answered(i, answer);
    });
    calls = std::move(elsewhere);
    question_of = std::move(elsewhere_of);
  }
}

}  // namespace

std::string validator(const http::Headers& headers) {
  const std::string_view etag = header(headers, "etag");
  return std::string(etag.empty() ? header(headers, "last-modified") : etag);
}

std::string lasting_state(const http::Headers& headers) {
  if (const std::string_view etag = header(headers, "etag"); etag.find('"') != std::string_view::npos)
    return std::string(etag);
  const auto now = http::parse_date(std::string(header(headers, "date")));
  const auto changed = http::parse_date(std::string(header(headers, "last-modified")));
  const bool old = now && changed && *now - *changed >= kOldEnough;
  return old ? std::string(header(headers, "last-modified")) : "";
}

void ask(http::Client& client, const WebUrl& url, std::span<WebQuestion> questions,
         const std::function<void(std::size_t, const WebAnswer&)>& answered,
         const std::function<void(std::size_t, std::exception_ptr)>& failed) {
  // Not all at once: requests and their answers may take more memory than small files.
  for (std::size_t first = 0; first < questions.size(); first += kRequestsAtOnce)
    ask_some(client, url, questions, first, std::min(questions.size(), first + kRequestsAtOnce), answered, failed);
}

}  // namespace tegula
