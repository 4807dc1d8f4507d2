#include "serve/http/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/fail.h"

namespace tegula::serve {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Addresses {
  addrinfo* list = nullptr;
  Addresses() = default;
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  ~Addresses() {
    if (list) freeaddrinfo(list);
  }
};

void resolve(const std::string& address, const std::string& port, Addresses& out) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  if (const int error = getaddrinfo(address.c_str(), port.c_str(), &hints, &out.list))
    fail(ErrorKind::invalid_argument, "'{}' is no address of this machine: {}", address, gai_strerror(error));
}

std::string text_of_peer(int socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  char host[NI_MAXHOST] = "";
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return "";
  getnameinfo(reinterpret_cast<sockaddr*>(&peer), size, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
  return host;
}

}  // namespace

bool is_loopback(const std::string& address) {
  Addresses found;
  resolve(address, "0", found);
  for (const addrinfo* a = found.list; a; a = a->ai_next) {
    if (a->ai_family == AF_INET) {
      const auto* in = reinterpret_cast<const sockaddr_in*>(a->ai_addr);
      if ((ntohl(in->sin_addr.s_addr) >> 24) != 127) return false;
    } else if (a->ai_family == AF_INET6) {
      const auto* in = reinterpret_cast<const sockaddr_in6*>(a->ai_addr);
      if (!IN6_IS_ADDR_LOOPBACK(&in->sin6_addr)) return false;
    } else {
      return false;
    }
  }
  return true;
}

Server::Server(const std::string& address, std::uint16_t port, Limits limits, Handler handler, Observer observer)
    : limits_(limits), handler_(std::move(handler)), observer_(std::move(observer)) {
  Addresses found;
  resolve(address, std::to_string(port), found);
  listener_ = socket(found.list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0) fail(ErrorKind::io, "no socket: {}", std::strerror(errno));
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener_, found.list->ai_addr, found.list->ai_addrlen) != 0 || listen(listener_, 512) != 0 ||
      pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) {
    const int error = errno;
    close(listener_);
    fail(ErrorKind::io, "cannot listen on {} port {}: {}", address, port, std::strerror(error));
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size);
  port_ = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                            : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

Server::~Server() {
  stop();
  // Threads of connections use this object.
  while (connections_ > 0) std::this_thread::sleep_for(milliseconds(1));
  close(listener_);
  close(wake_[0]);
  close(wake_[1]);
}

void Server::stop() noexcept {
  stopping_ = true;
  // Nobody reads the byte, so that every thread that waits sees it.
  [[maybe_unused]] const ssize_t written = ::write(wake_[1], "x", 1);
}

// False when the time is over, or with `until_stop` when the server stops.
bool Server::wait(int socket, short events, milliseconds most, bool until_stop) const {
  const Clock::time_point end = Clock::now() + most;
  for (;;) {
    pollfd files[2] = {{socket, events, 0}, {wake_[0], POLLIN, 0}};
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    const int ready = poll(files, until_stop ? 2 : 1, static_cast<int>(std::min<long long>(left, 1 << 30)));
    if (ready < 0 && errno != EINTR) return false;
    if (ready > 0 && files[0].revents) return true;
    if (ready > 0 && until_stop) return false;
  }
}

// One connection, in its own thread.
class Server::Connection {
 public:
  Connection(Server& server, int socket) : server_(server), socket_(socket), client_(text_of_peer(socket)) {
    const std::lock_guard lock(server_.mutex_);
    server_.sockets_.insert(socket_);
  }
  ~Connection() {
    {
      const std::lock_guard lock(server_.mutex_);
      server_.sockets_.erase(socket_);
    }
    close(socket_);
    --server_.connections_;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void serve() {
    while (!server_.stopping_ && exchange()) {
    }
  }

  // Tells the client to come back later.
  void refuse() {
    Answer answer = text_answer(503, "too many connections; try again in a moment");
    answer.headers.emplace_back("Retry-After", "1");
    send(answer, false, false);
    linger();
  }

 private:
  // One request and its answer. False: the connection ends.
  bool exchange() {
    const std::optional<std::size_t> end = read_head();
    if (!end) return false;
    const Clock::time_point begun = Clock::now();
    ParsedHead parsed = parse_head(std::string_view(buffer_).substr(0, *end));
    buffer_.erase(0, *end);
    if (parsed.refusal) return end_with(parsed.refusal->status, parsed.refusal->text);
    Answer answer;
    try {
      answer = server_.handler_(parsed.request);
    } catch (const std::exception& error) {
      answer = text_answer(500, error.what());
    }
    const bool head = parsed.request.method == "HEAD";
    if (head && !answer.size) answer.size = answer.body.size();
    if (head) answer.body.clear();
    const std::uint64_t bytes = answer.body.size();
    if (server_.waiting_ += bytes; server_.waiting_ > server_.limits_.waiting && bytes > 0) {
      server_.waiting_ -= bytes;
      const std::vector<std::pair<std::string, std::string>> headers = std::move(answer.headers);
      answer = text_answer(503, "too many answers wait to be sent; try again in a moment");
      answer.headers = headers;
      answer.headers.emplace_back("Retry-After", "1");
      return finish(parsed.request, answer, begun);
    }
    const bool more = finish(parsed.request, answer, begun);
    server_.waiting_ -= bytes;
    return more;
  }

  bool finish(const Request& request, const Answer& answer, Clock::time_point begun) {
    const bool keep = request.keep_alive && !server_.stopping_;
    const bool complete = send(answer, keep, request.method == "HEAD");
    if (server_.observer_)
      server_.observer_(
          {client_, &request, &answer, sent_, complete, std::chrono::duration<double>(Clock::now() - begun).count()});
    if (complete && !keep) linger();
    return complete && keep;
  }

  bool end_with(int status, std::string_view text) {
    const Answer answer = text_answer(status, text);
    const bool complete = send(answer, false, false);
    if (server_.observer_) server_.observer_({client_, nullptr, &answer, sent_, complete, 0});
    linger();
    return false;
  }

  // Where the next head ends in the buffer. No value: the client is gone, too slow, or was answered with an error.
  std::optional<std::size_t> read_head() {
    Clock::time_point end = Clock::now() + (buffer_.empty() ? server_.limits_.idle : server_.limits_.head);
    std::size_t looked = 0;
    for (;;) {
      if (const std::size_t found = buffer_.find("\r\n\r\n", looked); found != buffer_.npos) return found + 4;
      looked = buffer_.size() > 3 ? buffer_.size() - 3 : 0;
      if (buffer_.size() > kMostHead) {
        end_with(431, "the request is longer than 16 KiB");
        return std::nullopt;
      }
      const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
      if (!server_.wait(socket_, POLLIN, left, buffer_.empty())) {
        if (!buffer_.empty()) end_with(408, "the request took too long to arrive");
        return std::nullopt;
      }
      char part[4096];
      const ssize_t got = recv(socket_, part, sizeof part, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      if (buffer_.empty()) end = Clock::now() + server_.limits_.head;
      buffer_.append(part, static_cast<std::size_t>(got));
    }
  }

  // Head and body in one call, or small answers would wait for each other. False: the client is gone or too slow.
  bool send(const Answer& answer, bool keep_alive, bool without_body) {
    const std::string head = head_of(answer, keep_alive);
    const bool bare = without_body || answer.status == 304 || answer.status == 204;
    iovec parts[2] = {{const_cast<char*>(head.data()), head.size()},
                      {const_cast<std::byte*>(answer.body.data()), bare ? 0 : answer.body.size()}};
    sent_ = 0;
    std::size_t at = 0;
    while (at < 2) {
      msghdr message{};
      message.msg_iov = parts + at;
      message.msg_iovlen = 2 - at;
      ssize_t sent = sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) return false;
      if (sent < 0) {
        if (!server_.wait(socket_, POLLOUT, server_.limits_.stall, false)) return false;
        continue;
      }
      sent_ += static_cast<std::uint64_t>(sent);
      for (auto left = static_cast<std::size_t>(sent); at < 2;) {
        const std::size_t step = std::min(left, parts[at].iov_len);
        parts[at].iov_base = static_cast<char*>(parts[at].iov_base) + step;
        parts[at].iov_len -= step;
        left -= step;
        if (parts[at].iov_len > 0) break;
        ++at;
      }
    }
    return true;
  }

  // Closing with unread bytes makes the system throw away the answer: what the client still sends is read, for a while.
  void linger() {
    shutdown(socket_, SHUT_WR);
    const Clock::time_point end = Clock::now() + milliseconds(500);
    char part[4096];
    for (std::size_t total = 0; total < 256 << 10;) {
      const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
      if (!server_.wait(socket_, POLLIN, left, false)) return;
      const ssize_t got = recv(socket_, part, sizeof part, 0);
      if (got <= 0) return;
      total += static_cast<std::size_t>(got);
    }
  }

  Server& server_;
  const int socket_;
  const std::string client_;
  std::string buffer_;
  std::uint64_t sent_ = 0;
};

void Server::accept_one() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) {
    // Without descriptors there is nothing to do but wait until some are free.
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) std::this_thread::sleep_for(milliseconds(20));
    return;
  }
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const unsigned open = ++connections_;
  // Twice as many threads are the end: of those half are only there to say so.
  if (open > 2 * limits_.connections) {
    close(socket);
    --connections_;
    return;
  }
  try {
    std::thread([this, socket, refused = open > limits_.connections] {
      Connection connection(*this, socket);
      refused ? connection.refuse() : connection.serve();
    }).detach();
  } catch (const std::system_error&) {
    close(socket);
    --connections_;
  }
}

void Server::run() {
  while (!stopping_)
    if (wait(listener_, POLLIN, milliseconds(60000), true)) accept_one();
  shutdown(listener_, SHUT_RDWR);
  const Clock::time_point end = Clock::now() + limits_.grace;
  while (connections_ > 0 && Clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
  const std::lock_guard lock(mutex_);
  for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
}

}  // namespace tegula::serve
