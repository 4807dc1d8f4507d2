#include "serve/service.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error_message.h"
#include "tegula/error.h"

namespace tegula::serve {

namespace {

// A loop over all of both, so that the time says nothing about the token.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned differ = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    differ |= static_cast<unsigned char>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
  return differ == 0;
}

// "localhost:8080" -> "localhost", "[::1]:80" -> "[::1]".
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  return colon == host.npos || host.find(']', colon) != host.npos ? host : host.substr(0, colon);
}

bool names_loopback(std::string_view host) {
  return host == "localhost" || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

bool is_loopback_origin(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme)) return names_loopback(without_port(origin.substr(scheme.size())));
  return false;
}

// Waits until fewer requests are worked on.
class Turn {
 public:
  explicit Turn(std::counting_semaphore<>& free) : free_(free) { free_.acquire(); }
  ~Turn() { free_.release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::counting_semaphore<>& free_;
};

Answer error_answer(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::io:
    case ErrorKind::cancelled: {
      Answer answer = text_answer(503, error.what());
      answer.headers.emplace_back("Retry-After", "5");
      return answer;
    }
    default:
      return text_answer(422, error.what());
  }
}

}  // namespace

Service::Service(std::shared_ptr<Tree> tree, ServiceOptions options)
    : tree_(std::move(tree)),
      options_(std::move(options)),
      view_(tree_),
      api_(tree_),
      free_(std::max(1u, options_.at_once)) {}

bool Service::allowed_host(const Request& request) const {
  if (options_.hosts.empty()) return true;
  const std::string_view host = without_port(request.header("host"));
  return names_loopback(host) || std::ranges::find(options_.hosts, host) != options_.hosts.end();
}

bool Service::admit(const Request& request, std::span<const std::string>& path) const {
  const bool in_path = path.size() >= 2 && path[0] == "t";
  const std::string in_url = in_path ? path[1] : "";
  if (in_path) path = path.subspan(2);
  if (options_.token.empty()) return true;
  constexpr std::string_view kBearer = "Bearer ";
  std::string_view header = request.header("authorization");
  const bool by_header = header.starts_with(kBearer) && same_secret(header.substr(kBearer.size()), options_.token);
  return by_header || (in_path && same_secret(in_url, options_.token));
}

void Service::add_cors(const Request& request, Answer& answer) const {
  const std::string_view origin = request.header("origin");
  const bool all = std::ranges::find(options_.cors, "*") != options_.cors.end();
  const bool listed = std::ranges::find(options_.cors, origin) != options_.cors.end() || is_loopback_origin(origin);
  if (!all) answer.headers.emplace_back("Vary", "Origin");
  if (!all && (origin.empty() || !listed)) return;
  answer.headers.emplace_back("Access-Control-Allow-Origin", all ? "*" : std::string(origin));
  answer.headers.emplace_back("Access-Control-Expose-Headers", "Content-Range, Content-Length, Content-Encoding, ETag");
  if (request.method != "OPTIONS") return;
  answer.headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS");
  answer.headers.emplace_back("Access-Control-Allow-Headers",
                              "Range, If-Match, If-None-Match, If-Range, Authorization");
  answer.headers.emplace_back("Access-Control-Max-Age", "600");
}

Answer Service::handle(const Request& request) {
  Answer answer;
  std::span<const std::string> path = request.path;
  if (!allowed_host(request)) {
    answer = text_answer(421, "this server does not answer to that name");
  } else if (request.method == "OPTIONS") {
    answer.status = 204;
    answer.headers.emplace_back("Allow", "GET, HEAD, OPTIONS");
  } else if (request.method != "GET" && request.method != "HEAD") {
    answer = text_answer(405, "everything here is only read");
    answer.headers.emplace_back("Allow", "GET, HEAD, OPTIONS");
  } else if (!admit(request, path)) {
    answer = text_answer(401, "a token is needed: /t/TOKEN/... in the URL, or the header Authorization: Bearer TOKEN");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  } else {
    try {
      answer = route(request, path);
    } catch (const Error& error) {
      answer = error_answer(error);
    } catch (const Unavailable& error) {
      answer = text_answer(503, error.what());
      answer.headers.emplace_back("Retry-After", "60");
    } catch (const std::bad_alloc&) {
      answer = text_answer(503, "there is not enough memory now");
      answer.headers.emplace_back("Retry-After", "5");
    }
  }
  add_cors(request, answer);
  answer.headers.emplace_back("Cache-Control", "no-cache");
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return answer;
}

Answer Service::zarr(const Request& request, int version, std::span<const std::string> path) {
  const Turn turn(free_);
  std::optional<Resource> resource = view_.get(version, path);
  if (!resource) return text_answer(404, "there is nothing of that name");
  Answer answer;
  answer.tag = resource->tag;
  answer.type = resource->type;
  if (const std::optional<int> status = decided_by_tag(request, answer.tag)) {
    answer.status = *status;
    return answer;
  }
  if (request.method == "HEAD" && resource->size)
    answer.size = resource->size;
  else
    answer.body = resource->body();
  shape_answer(answer, request, options_.compress);
  return answer;
}

Answer Service::api(const Request& request, std::span<const std::string> path) {
  const Turn turn(free_);
  Answer answer = api_.get(request, path);
  if (answer.status != 200) return answer;
  if (const std::optional<int> status = decided_by_tag(request, answer.tag)) {
    answer.status = *status;
    answer.body.clear();
    return answer;
  }
  shape_answer(answer, request, options_.compress);
  return answer;
}

Answer Service::route(const Request& request, std::span<const std::string> path) {
  if (path.empty())
    return text_answer(200, "tegula serves what is here as zarr: /v3/PATH and /v2/PATH; /api; /metrics");
  if (path[0] == "v3" || path[0] == "v2") return zarr(request, path[0] == "v3" ? 3 : 2, path.subspan(1));
  if (path[0] == "api") return api(request, path.subspan(1));
  if (path[0] == "metrics" && path.size() == 1) return metrics();
  return text_answer(404, "there is nothing of that name; arrays are below /v3, /v2 and /api");
}

void Service::count(const Exchange& exchange) {
  ++counts_.requests;
  counts_.bytes += exchange.sent;
  if (!exchange.request) ++counts_.refused;
  if (!exchange.complete) ++counts_.cut_off;
  counts_.microseconds += static_cast<std::uint64_t>(exchange.seconds * 1e6);
  ++counts_.by_class[static_cast<std::size_t>(std::clamp(exchange.answer->status / 100, 0, 5))];
}

Answer Service::metrics() const {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view help, double value) {
    out += fmt::format("# HELP tegula_{0} {1}\n# TYPE tegula_{0} counter\ntegula_{0} {2}\n", name, help, value);
  };
  add("requests_total", "Requests answered.", static_cast<double>(counts_.requests));
  add("sent_bytes_total", "Bytes sent.", static_cast<double>(counts_.bytes));
  add("request_seconds_total", "Time from the end of requests to the end of answers.",
      static_cast<double>(counts_.microseconds) / 1e6);
  add("refused_total", "Requests that were not understood.", static_cast<double>(counts_.refused));
  add("cut_off_total", "Answers that clients did not take.", static_cast<double>(counts_.cut_off));
  out +=
      "# HELP tegula_answers_total Answers by the first digit of their status.\n# TYPE tegula_answers_total counter\n";
  for (std::size_t i = 2; i < counts_.by_class.size(); ++i)
    out += fmt::format("tegula_answers_total{{class=\"{}xx\"}} {}\n", i, counts_.by_class[i].load());
  Answer answer = text_answer(200, out);
  answer.type = "text/plain; version=0.0.4; charset=utf-8";
  return answer;
}

std::string Service::shown_path(const Request& request) {
  std::string_view target = request.target;
  if (request.path.size() < 2 || request.path[0] != "t") return std::string(target);
  const std::size_t first = target.find('/', 1), second = target.find_first_of("/?", first + 1);
  return fmt::format("/t/...{}", second == target.npos ? "" : target.substr(second));
}

}  // namespace tegula::serve
