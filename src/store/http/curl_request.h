// One request of libcurl: its options, and its answer as it arrives.
#pragma once

#include <array>
#include <exception>
#include <string>
#include <string_view>

#include "store/http/curl_library.h"
#include "store/http/transport.h"

namespace tegula::http::curl {

// A handle of libcurl, used for one exchange after the other. Not moved: libcurl keeps its address.
class EasyRequest {
 public:
  explicit EasyRequest(const Library& curl);
  ~EasyRequest();
  EasyRequest(const EasyRequest&) = delete;
  EasyRequest& operator=(const EasyRequest&) = delete;

  Easy* handle() const { return easy_; }
  void prepare(Exchange& exchange, const TransportOptions& options);
  // Completes the answer. Returns what the sink threw, if it did.
  std::exception_ptr finish(int result);
  Exchange* exchange() const { return exchange_; }

 private:
  void set_number(Option option, long value) { curl_.easy_setopt(easy_, option, value); }
  void set_text(Option option, const char* value) { curl_.easy_setopt(easy_, option, value); }
  void set_headers(const Request& request);
  void set_body(const Request& request);
  void begin_body();
  void take_header(std::string_view line);
  bool take_body(ByteView bytes);
  std::size_t give_body(MutableBytes into);
  bool seek_body(std::int64_t offset);

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_read(char* data, std::size_t size, std::size_t count, void* self);
  static int on_seek(void* self, std::int64_t offset, int origin);

  const Library& curl_;
  Easy* easy_;
  List* headers_ = nullptr;
  Exchange* exchange_ = nullptr;
  std::array<char, kErrorSize> error_{};
  bool begun_ = false;             // the sink knows the headers
  Rest rest_ = Rest::wanted;       // what the last bytes of the body lead to
  std::size_t part_ = 0, at_ = 0;  // of the request's body
  std::exception_ptr thrown_;
};

}  // namespace tegula::http::curl
