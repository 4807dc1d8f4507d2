// `tegula serve`: what is below a folder or bucket as zarr over HTTP.
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <thread>

#include "app/verbs.h"
#include "base/fail.h"
#include "output/output.h"
#include "run/opening.h"
#include "serve/service.h"
#include "store/open/shown_uri.h"
#include "text/json_writer.h"

namespace tegula::cli {

namespace {

struct Flags {
  std::string uri;
  std::optional<std::uint64_t> port;
  std::string bind = "127.0.0.1";
  std::string token;
  bool open_to_all = false;
  std::vector<std::string> names, cors;
  std::string log;
  std::optional<std::uint64_t> connections;
  OpenFlags open;
};

serve::Server* running = nullptr;  // for the signal handler
// The second time ends the process.
void stop_running(int sign) {
  if (running) running->stop();
  std::signal(sign, SIG_DFL);
}

// One JSON object a line.
class AccessLog {
 public:
  explicit AccessLog(const std::string& file) {
    if (file.empty()) return;
    file_ = file == "-" ? stderr : std::fopen(file.c_str(), "a");
    if (!file_) fail(ErrorKind::io, "cannot write the log '{}'", file);
  }
  ~AccessLog() {
    if (file_ && file_ != stderr) std::fclose(file_);
  }
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void add(const serve::Exchange& exchange) {
    if (!file_) return;
    std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char time[32];
    std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &utc);
    JsonWriter json;
    json.begin('{').key("time").text(time).key("client").text(exchange.client);
    json.key("method").text(exchange.request ? exchange.request->method : "");
    json.key("path").text(exchange.request ? serve::Service::shown_path(*exchange.request) : "");
    json.key("status").number(static_cast<std::uint64_t>(exchange.answer->status));
    json.key("bytes").number(exchange.sent).key("complete").number(exchange.complete);
    json.key("ms").raw(fmt::format("{:.3f}", exchange.seconds * 1e3));
    const std::string line = json.end('}').line();
    const std::lock_guard lock(mutex_);
    std::fwrite(line.data(), 1, line.size(), file_);
    std::fflush(file_);
  }

 private:
  std::FILE* file_ = nullptr;
  std::mutex mutex_;
};

std::string url_of(const Flags& flags, std::uint16_t port) {
  const bool v6 = flags.bind.find(':') != flags.bind.npos;
  const bool any = flags.bind == "0.0.0.0" || flags.bind == "::";
  const std::string host = any ? "localhost" : v6 ? "[" + flags.bind + "]" : flags.bind;
  return fmt::format("http://{}:{}/{}", host, port, flags.token.empty() ? "" : "t/" + flags.token + "/");
}

int run_server(const Flags& flags, const Globals& globals) {
  if (flags.port.value_or(0) > 65535) fail(ErrorKind::invalid_argument, "--port takes a number up to 65535");
  const bool loopback = serve::is_loopback(flags.bind);
  if (!loopback && flags.token.empty() && !flags.open_to_all)
    fail(ErrorKind::invalid_argument,
         "'{}' can be reached from other machines: choose a secret with --token, or say --public to let everybody read",
         flags.bind);
  if (flags.token.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~") !=
      flags.token.npos)
    fail(ErrorKind::invalid_argument, "a token has letters, digits and - _ . ~, so that it fits into URLs");

  const std::shared_ptr<Store> store = store_of(flags.uri, globals);
  const OpenOptions open_options = flags.open.options(globals);
  serve::TreeOptions tree_options;
  tree_options.key = open_options.key;
  tree_options.storage = globals.storage;
  tree_options.work = globals.work;
  tree_options.work.progress = nullptr;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned at_once = std::max(4u, 2 * cores);
  tree_options.work.threads = 1;  // many requests at once are the way to use all of them
  tree_options.work.memory = std::max<std::uint64_t>(globals.work.memory / at_once, 64 << 20);
  tree_options.kept = globals.work.memory / 4;
  if (store->hints().remote()) tree_options.fresh = std::chrono::seconds(10);
  const auto tree = std::make_shared<serve::Tree>(store, tree_options);
  const std::shared_ptr<const serve::Place> root = tree->find({}).place;
  if (!root->array && !root->group && (!store->hints().lists || store->list("").empty()))
    fail(ErrorKind::not_found, "'{}': there is no such folder, or it is empty", shown_uri(flags.uri));

  serve::ServiceOptions options;
  options.token = flags.token;
  if (loopback) options.hosts = {"localhost"};
  options.hosts.insert(options.hosts.end(), flags.names.begin(), flags.names.end());
  options.cors = flags.cors;
  options.compress = !loopback;
  options.at_once = at_once;
  serve::Service service(tree, options);
  AccessLog log(flags.log);
  serve::Limits limits;
  limits.waiting = globals.work.memory;
  if (flags.connections) limits.connections = static_cast<unsigned>(std::min<std::uint64_t>(*flags.connections, 10000));
  serve::Server server(
      flags.bind, static_cast<std::uint16_t>(flags.port.value_or(8080)), limits,
      [&](const serve::Request& request) { return service.handle(request); },
      [&](const serve::Exchange& exchange) {
        service.count(exchange);
        log.add(exchange);
      });

  running = &server;
  std::signal(SIGTERM, stop_running);
  std::signal(SIGINT, stop_running);
  if (globals.json) {
    JsonWriter json;
    print(json.begin('{').key("url").text(url_of(flags, server.port())).end('}').line());
  } else {
    print(fmt::format("{} at {}v3/ and {}v2/; Ctrl-C stops\n", shown_uri(flags.uri), url_of(flags, server.port()),
                      url_of(flags, server.port())));
  }
  std::fflush(stdout);
  server.run();
  running = nullptr;
  return kOk;
}

}  // namespace

void describe_serve(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.argument("uri", flags->uri, "a folder, bucket or archive; everything below it can be read")
      .option("--port", flags->port, "N", "default 8080; 0 takes a free one")
      .option("--bind", flags->bind, "ADDRESS", "default 127.0.0.1: only this machine")
      .option("--token", flags->token, "SECRET",
              "only who knows it may read: /t/SECRET/... or Authorization: Bearer SECRET")
      .flag("--public", flags->open_to_all, "no token, though other machines can reach the address")
      .option("--name", flags->names, "HOST", "a name besides localhost that the server answers to; repeatable")
      .option("--cors", flags->cors, "ORIGIN", "pages from there may read too; '*' means all; repeatable")
      .option("--log", flags->log, "FILE", "one JSON object a request; - means stderr")
      .option("--connections", flags->connections, "N", "at once (default 256)");
  flags->open.describe_key(verb);
  verb.examples(
          "  tegula serve .\n  tegula serve s3://bucket/prefix --port 9000\n"
          "  tegula serve /data --bind 0.0.0.0 --token \"$(openssl rand -hex 16)\"")
      .run([flags, &globals] { return run_server(*flags, globals); });
}

}  // namespace tegula::cli
