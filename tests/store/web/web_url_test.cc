#include "store/web/web_url.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(WebUrl, SecretsAreSentAndNotShown) {
  struct {
    const char *url, *key, *sent, *shown;
  } const cases[] = {
      {"http://h", "a", "http://h/a", "http://h/a"},
      {"http://h/", "", "http://h", "http://h"},
      {"https://h:81/x.zarr/", "c/0/0", "https://h:81/x.zarr/c/0/0", "https://h:81/x.zarr/c/0/0"},
      {"https://h/x?token=a/b&c=1", "zarr.json", "https://h/x/zarr.json?token=a/b&c=1", "https://h/x/zarr.json"},
      {"https://me:word@h/x@y", "k", "https://me:word@h/x@y/k", "https://h/x@y/k"},
      {"http://h/a b#part", "é?#%+", "http://h/a%20b/%C3%A9%3F%23%25%2B", "http://h/a b/é?#%+"},
      {"http://h/a%20b", "k", "http://h/a%20b/k", "http://h/a%20b/k"},
      {"http://h?t=1", "k", "http://h/k?t=1", "http://h/k"},
  };
  for (const auto& [url, key, sent, shown] : cases) {
    EXPECT_EQ(WebUrl(url).of(key), sent);
    EXPECT_EQ(WebUrl(url).shown(key), shown);
  }
  for (const char* url : {"http://", "http:///x", "ftp://h/x", "h/x"})
    EXPECT_ERROR(invalid_argument, "is no address of a web server", WebUrl{url});
}

TEST(WebUrl, RedirectionsAreResolved) {
  struct {
    const char *from, *location, *to;
  } const cases[] = {
      {"http://h/a/b?q", "https://other/c", "https://other/c"},
      {"http://h/a/b?q=/", "/c?r", "http://h/c?r"},
      {"http://h/a/b", "c", "http://h/a/c"},
      {"https://h/a", "//g/c", "https://g/c"},
      {"http://h", "/c", "http://h/c"},
      {"https://h/a", "http://h/a", "none"},
      {"http://h/a", "file:///etc/passwd", "none"},
      {"http://h/a", "", "none"},
      {"http://h", "c", "http://h/c"},
  };
  for (const auto& [from, location, to] : cases) EXPECT_EQ(redirected(from, location).value_or("none"), to) << from;
  EXPECT_TRUE(is_folder_of("http://h/a/meta?q", "http://h/a/meta/"));
  EXPECT_TRUE(is_folder_of("http://h/a/meta", "http://inner:8080/a/meta/?q"));
  EXPECT_FALSE(is_folder_of("http://h/a/meta", "http://h/a/meta"));
  EXPECT_FALSE(is_folder_of("http://h/a/meta", "http://h/b/meta/"));
}

}  // namespace
}  // namespace tegula
