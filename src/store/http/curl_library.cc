#include "store/http/curl_library.h"

#include <dlfcn.h>

#include "base/fail.h"

namespace tegula::http::curl {

namespace {

constexpr long kGlobalAll = 3;

template <class F>
void find_function(void* handle, const char* name, F& into) {
  into = reinterpret_cast<F>(::dlsym(handle, name));
  if (!into) fail(ErrorKind::unsupported, "libcurl has no {}: version 7.66 or newer is needed", name);
}

Library load() {
  void* handle = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
    if (!handle) handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fail(ErrorKind::unsupported,
         "remote arrays need libcurl, which is not installed; on Debian and Ubuntu: apt install libcurl4");
  Library out;
  int (*global_init)(long);
  find_function(handle, "curl_global_init", global_init);
  find_function(handle, "curl_easy_init", out.easy_init);
  find_function(handle, "curl_easy_cleanup", out.easy_cleanup);
  find_function(handle, "curl_easy_reset", out.easy_reset);
  find_function(handle, "curl_easy_setopt", out.easy_setopt);
  find_function(handle, "curl_easy_getinfo", out.easy_getinfo);
  find_function(handle, "curl_easy_strerror", out.easy_strerror);
  find_function(handle, "curl_multi_init", out.multi_init);
  find_function(handle, "curl_multi_cleanup", out.multi_cleanup);
  find_function(handle, "curl_multi_setopt", out.multi_setopt);
  find_function(handle, "curl_multi_add_handle", out.multi_add_handle);
  find_function(handle, "curl_multi_remove_handle", out.multi_remove_handle);
  find_function(handle, "curl_multi_perform", out.multi_perform);
  find_function(handle, "curl_multi_poll", out.multi_poll);
  find_function(handle, "curl_multi_info_read", out.multi_info_read);
  find_function(handle, "curl_slist_append", out.slist_append);
  find_function(handle, "curl_slist_free_all", out.slist_free_all);
  if (global_init(kGlobalAll) != kOk) fail(ErrorKind::io, "libcurl cannot be started");
  return out;
}

}  // namespace

const Library& library() {
  // After a failure the next call tries again.
  static const Library loaded = load();
  return loaded;
}

}  // namespace tegula::http::curl
