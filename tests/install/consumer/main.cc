// The smallest program that uses the installed library.
#include <tegula/tegula.h>

#include <cstdio>
#include <cstring>

int main() {
  if (std::strcmp(tegula::version(), TEGULA_VERSION) != 0) return 1;
  try {
    tegula::open("mem://nothing");
  } catch (const tegula::Error& error) {
    std::puts(error.what());
    return error.kind() == tegula::ErrorKind::not_found ? 0 : 1;
  }
  return 1;
}
