// A bucket: how requests to it are made, and what its answers mean. Each service has its own kind.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/http/client.h"
#include "store/objects/credentials.h"
#include "store/objects/encoding.h"
#include "store/objects/settings.h"
#include "store/objects/xml.h"
#include "tegula/error.h"

namespace tegula::objects {

// An object that is written in parts, as the service does it. Destroying it before complete() gives up what was begun.
class Parts {
 public:
  virtual ~Parts() = default;
  // Before the first part.
  virtual void begin() = 0;
  // The request that sends part `number`, counted from 1.
  virtual http::Call part(std::size_t number, ByteView bytes) = 0;
  // In the order of the parts, with the answer to the request, which succeeded.
  virtual void sent(const http::Call& call) = 0;
  // Makes the object, of `size` bytes, of all parts. With `state` only in place of one in that state: false when it is
  // in another.
  virtual bool complete(std::uint64_t size, const std::string* state = nullptr) = 0;
};

class Bucket {
 public:
  Bucket(Settings settings, std::shared_ptr<http::Client> client, std::shared_ptr<CredentialChain> credentials);
  virtual ~Bucket() = default;
  Bucket(const Bucket&) = delete;
  Bucket& operator=(const Bucket&) = delete;

  // A request that is signed at every try. `key` is a whole key, or empty for the bucket itself. The bucket and the
  // views in `body` have to outlive it.
  http::Call call(std::string method, std::string_view key, const Query& query = {}, http::Headers headers = {},
                  std::vector<ByteView> body = {});
  // Runs them under the current work, as Client::run() does.
  void run(std::span<http::Call> calls, const std::function<void(std::size_t)>& done = {});
  void run(http::Call& call) { run(std::span(&call, 1)); }
  http::Client& client() { return *client_; }
  const Settings& settings() const { return settings_; }

  // "s3://bucket/key"
  virtual std::string uri(std::string_view key) const = 0;
  // The service and the bucket, however they were spelled.
  virtual std::string identity() const = 0;

  static bool ok(const http::Call& call);
  // The service says that there is no such object, for this reason and no other.
  virtual bool absent(const http::Call& call) const = 0;
  // Throws the Error of an answer that is not what was hoped for.
  [[noreturn]] void fail_answer(const http::Call& call) const;

  // Headers of a new object: encryption, storage class.
  virtual http::Headers object_headers() const = 0;
  // Headers by which a new object replaces only one in that state, and whether an answer says that it was not.
  virtual http::Headers condition(const std::string& state) const;
  virtual bool condition_failed(const http::Call& call, const std::string& state) const;
  // The header that has the state of an object.
  virtual std::string_view state_header() const { return "etag"; }
  // The end of an object can be asked for without knowing its size.
  virtual bool suffix_ranges() const { return true; }

  virtual Query list_query(const std::string& prefix, bool one_level, std::size_t most,
                           const std::string& token) const = 0;
  // Throws Error(io), naming `where`, unless it is a whole listing.
  virtual ListPage read_list_page(ByteView xml, std::string_view where) const = 0;

  // Absent ones are fine.
  virtual void remove(std::span<const std::string> keys);
  virtual std::unique_ptr<Parts> begin_parts(std::string key) = 0;

 protected:
  // Where a request goes.
  struct Place {
    std::string scheme, host, path;  // the path is that of the endpoint, "" mostly
  };
  static Place place_of(const std::string& endpoint);

  // What a try was made with. Others under way may have learned better meanwhile, which is a reason to try again.
  struct Used {
    Credentials credentials;
    std::string region;
    std::int64_t clock_error = 0;
  };
  struct Target {
    std::string key;
    Query query;
    std::string payload_hash;
  };
  // What an error means beyond its status and code.
  struct Meaning {
    ErrorKind kind = ErrorKind::io;
    std::string hint = {};
  };

  // Gives the request its URL, and signs it with `used`, whose time is filled in.
  virtual void prepare(http::Request& request, const Target& target, Used& used) = 0;
  virtual http::Verdict judge(const http::Answer& answer, const Used& used) = 0;
  // Headers of every request.
  virtual http::Headers usual_headers() const { return {}; }
  virtual std::string payload_hash(std::span<const ByteView>) const { return ""; }
  virtual std::string code_of(const http::Answer& answer) const { return read_answer(answer.body).code; }
  virtual Meaning meaning_of(int status, std::string_view code) const = 0;

  // The answer's own date tells by how much the clocks differ: whether that is news.
  bool learn_time(const http::Answer& answer, const Used& used);
  std::chrono::system_clock::time_point their_time(const Used& used) const;
  CredentialChain& credentials() const { return *credentials_; }

 private:
  Settings settings_;
  std::shared_ptr<http::Client> client_;
  std::shared_ptr<CredentialChain> credentials_;
  std::atomic<std::int64_t> clock_error_{0};  // seconds that the server is ahead
};

// Whether it is one of these.
bool one_of(std::string_view text, std::initializer_list<std::string_view> texts);

}  // namespace tegula::objects
