// libcurl against a server of a few lines.
#include "store/http/transport.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/http/client.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

// Answers every request with what `handle` makes of it, over connections that stay open; "" closes the connection.
class SmallServer {
 public:
  explicit SmallServer(std::function<std::string(const std::string& request)> handle) : handle_(std::move(handle)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 16);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] {
      for (;;) {
        const int peer = ::accept(listener_, nullptr, nullptr);
        if (peer < 0) return;
        ++connections;
        const std::lock_guard lock(mutex_);
        peers_.push_back(peer);
        threads_.emplace_back([this, peer] { serve(peer); });
      }
    });
  }
  ~SmallServer() {
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    for (const int peer : peers_) ::shutdown(peer, SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
    for (const int peer : peers_) ::close(peer);
    ::close(listener_);
  }
  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  std::atomic<int> connections{0};

 private:
  void serve(int peer) {
    std::string got;
    char buffer[4096];
    for (;;) {
      std::size_t end = 0;
      while ((end = got.find("\r\n\r\n")) == std::string::npos) {
        const ssize_t n = ::recv(peer, buffer, sizeof buffer, 0);
        if (n <= 0) return;
        got.append(buffer, static_cast<std::size_t>(n));
      }
      std::size_t body = 0;
      if (const std::size_t at = got.find("Content-Length: "); at < end) body = std::stoul(got.substr(at + 16));
      while (got.size() < end + 4 + body) {
        const ssize_t n = ::recv(peer, buffer, sizeof buffer, 0);
        if (n <= 0) return;
        got.append(buffer, static_cast<std::size_t>(n));
      }
      const std::string answer = handle_(got.substr(0, end + 4 + body));
      got.erase(0, end + 4 + body);
      ::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
      if (answer.find("close-now") != std::string::npos || answer.empty()) {
        ::shutdown(peer, SHUT_RDWR);
        return;
      }
    }
  }

  std::function<std::string(const std::string&)> handle_;
  int listener_ = -1, port_ = 0;
  std::thread accepting_;
  std::mutex mutex_;
  std::vector<int> peers_;
  std::vector<std::thread> threads_;
};

std::string ok(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nX-Test: Yes \r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

http::Answer ask(http::Transport& transport, const http::Request& request) {
  const auto exchanges = transport.begin();
  http::Exchange exchange{&request, {}};
  exchanges->start(exchange);
  for (int i = 0; i < 1000; ++i)
    if (!exchanges->wait(std::chrono::milliseconds(100)).empty()) return exchange.answer;
  ADD_FAILURE() << "no answer";
  return exchange.answer;
}

TEST(Transport, SendsWhatItIsGivenAndNothingElse) {
  std::string seen;
  const SmallServer server([&](const std::string& request) {
    seen = request;
    return ok("body");
  });
  const auto transport = http::open_transport();
  http::Request request;
  request.method = "PUT";
  request.url = server.url("/a/../b//c%2F?x=1&y");
  request.headers = {{"x-one", "1"}};
  request.body = {bytes_of("hello "), bytes_of(""), bytes_of("world")};
  const http::Answer answer = ask(*transport, request);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.failure, http::Failure::none) << answer.failure_text;
  EXPECT_EQ(text_of(answer.body), "body");
  EXPECT_EQ(*http::find(answer.headers, "x-test"), "Yes");
  EXPECT_EQ(seen.find("PUT /a/../b//c%2F?x=1&y HTTP/1.1\r\n"), 0u) << seen;
  EXPECT_TRUE(seen.ends_with("\r\n\r\nhello world")) << seen;
  EXPECT_NE(seen.find("x-one: 1\r\n"), std::string::npos);
  EXPECT_EQ(seen.find("Expect"), std::string::npos) << "no second of waiting before large bodies";
  EXPECT_EQ(seen.find("Accept-Encoding"), std::string::npos) << "a stored gzip stays one";
  for (const char* method : {"POST", "PUT"}) {
    http::Request empty;
    empty.method = method;
    empty.url = server.url("/e");
    EXPECT_EQ(ask(*transport, empty).status, 200);
    EXPECT_NE(seen.find("Content-Length: 0\r\n"), std::string::npos) << seen;
  }
  request.method = "DELETE";
  request.body.clear();
  EXPECT_EQ(ask(*transport, request).status, 200);
  EXPECT_EQ(seen.find("DELETE /a/../b"), 0u);
  EXPECT_EQ(server.connections, 1) << "the connection is kept";
}

TEST(Transport, FailuresAreToldApart) {
  const SmallServer server([](const std::string& request) -> std::string {
    if (request.starts_with("GET /cut")) return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nX: close-now\r\n\r\n0123";
    if (request.starts_with("GET /gone")) return "";
    if (request.starts_with("GET /nonsense")) return "what?\r\nclose-now\r\n\r\n";
    if (request.starts_with("GET /large")) return ok(std::string(5000, 'x'));
    if (request.starts_with("GET /moved"))
      return "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 3\r\n\r\nold";
    if (request.starts_with("GET /there")) return ok("there");
    return ok("");
  });
  const auto transport = http::open_transport();
  const auto get = [&](const std::string& url, int redirects = 0) {
    http::Request request;
    request.url = url;
    request.body_limit = 1000;
    request.redirects = redirects;
    request.connect_timeout = std::chrono::milliseconds(2000);
    return ask(*transport, request);
  };
  EXPECT_EQ(get(server.url("/cut")).failure, http::Failure::transfer);
  EXPECT_EQ(get(server.url("/gone")).failure, http::Failure::transfer);
  EXPECT_NE(get(server.url("/nonsense")).failure, http::Failure::none);
  EXPECT_EQ(get(server.url("/large")).failure, http::Failure::limit);
  EXPECT_EQ(get("http://127.0.0.1:1/").failure, http::Failure::connect);
  EXPECT_EQ(get("ftp://127.0.0.1/").failure, http::Failure::fatal);
  EXPECT_EQ(get("not a url").failure == http::Failure::none, false);
  EXPECT_EQ(get(server.url("/moved")).status, 302);
  EXPECT_EQ(text_of(get(server.url("/moved"), 5).body), "there");
}

TEST(Transport, AChildProcessHasConnectionsOfItsOwn) {
  const SmallServer server([](const std::string&) { return ok("x"); });
  const auto transport = http::open_transport();
  http::Request request;
  request.url = server.url("/");
  EXPECT_EQ(ask(*transport, request).status, 200);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(ask(*transport, request).status == 200 ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ask(*transport, request).status, 200);
  EXPECT_EQ(server.connections, 2) << "one of each process";
}

TEST(Transport, ManyRequestsAtOnceOnThisThread) {
  std::atomic<int> at_once{0}, most{0};
  const SmallServer server([&](const std::string& request) {
    const int now = ++at_once;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --at_once;
    return ok(request.substr(4, request.find(" HTTP") - 4));
  });
  http::Limits limits;
  limits.at_once = 8;
  http::Client client(http::open_transport(), limits);
  std::vector<http::Call> calls(40);
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].request.url = server.url("/" + std::to_string(i));
  client.run(calls, {});
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(text_of(calls[i].answer.body), "/" + std::to_string(i));
  EXPECT_GT(most, 1);
  EXPECT_LE(most, 8);
  EXPECT_LE(server.connections, 8);
}

}  // namespace
}  // namespace tegula
