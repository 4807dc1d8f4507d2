// The few functions and constants of libcurl that are used, declared here: the library is not there when this is built,
// and its binary interface has been the same since 2006.
#pragma once

#include <cstddef>

namespace tegula::http::curl {

struct Easy;   // CURL
struct Multi;  // CURLM
struct List;   // curl_slist

struct Message {  // CURLMsg
  int kind;
  Easy* easy;
  union {
    void* other;
    int result;
  } data;
};
inline constexpr int kDone = 1;

// Options by the type of their value: numbers are long, pointers void*, sizes curl_off_t.
enum Option : int {
  kNoBody = 44,
  kUpload = 46,
  kFollowLocation = 52,
  kVerifyPeer = 64,
  kMaxRedirects = 68,
  kVerifyHost = 81,
  kHttpVersion = 84,
  kBufferSize = 98,
  kNoSignal = 99,
  kTimeout = 155,
  kConnectTimeout = 156,
  kProtocolBits = 181,
  kRedirectProtocolBits = 182,
  kKeepAlive = 213,
  kPathAsIs = 234,
  kUploadBufferSize = 280,
  kLowSpeedLimit = 19,
  kLowSpeedTime = 20,
  kWriteData = 10001,
  kUrl = 10002,
  kProxy = 10004,
  kReadData = 10009,
  kErrorBuffer = 10010,
  kUserAgent = 10018,
  kHeaders = 10023,
  kHeaderData = 10029,
  kCustomRequest = 10036,
  kCaInfo = 10065,
  kPrivate = 10103,
  kSeekData = 10168,
  kProtocols = 10318,
  kRedirectProtocols = 10319,
  kWriteFunction = 20011,
  kReadFunction = 20012,
  kHeaderFunction = 20079,
  kSeekFunction = 20167,
  kUploadSize = 30115,
};
enum MultiOption : int { kMaxConnections = 6 };
enum Info : int { kTotalTime = 0x600000 + 50, kGetPrivate = 0x100000 + 21 };

inline constexpr int kOk = 0;
inline constexpr std::size_t kErrorSize = 256;
inline constexpr long kHttp11 = 2, kHttpBit = 1, kHttpsBit = 2;
inline constexpr int kSeekOk = 0, kSeekFail = 1;

// Results that tell failures apart.
enum Result : int {
  kUnsupportedProtocol = 1,
  kBadUrl = 3,
  kNoProxyHost = 5,
  kNoHost = 6,
  kNoConnection = 7,
  kWriteError = 23,
  kTimedOut = 28,
  kTlsConnect = 35,
  kTooManyRedirects = 47,
  kBadCertificate = 58,
  kPeerNotVerified = 60,
  kBadCaFile = 77,
};

struct Library {
  Easy* (*easy_init)();
  void (*easy_cleanup)(Easy*);
  void (*easy_reset)(Easy*);
  int (*easy_setopt)(Easy*, int, ...);
  int (*easy_getinfo)(Easy*, int, ...);
  const char* (*easy_strerror)(int);
  Multi* (*multi_init)();
  int (*multi_cleanup)(Multi*);
  int (*multi_setopt)(Multi*, int, ...);
  int (*multi_add_handle)(Multi*, Easy*);
  int (*multi_remove_handle)(Multi*, Easy*);
  int (*multi_perform)(Multi*, int*);
  int (*multi_poll)(Multi*, void*, unsigned, int, int*);
  Message* (*multi_info_read)(Multi*, int*);
  List* (*slist_append)(List*, const char*);
  void (*slist_free_all)(List*);
};

// Loads it once for the process. Throws Error(unsupported), naming the package, when it is not installed.
const Library& library();

}  // namespace tegula::http::curl
