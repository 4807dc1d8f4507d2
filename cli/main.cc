// The `tegula` command.
#include <CLI/CLI.hpp>

#include "tegula/tegula.h"

int main(int argc, char** argv) {
  CLI::App app{"Opens, reads, queries, writes and verifies chunked arrays: TileDB, bcolz, zarr."};
  app.set_version_flag("--version", std::string("tegula ") + tegula::version());
  CLI11_PARSE(app, argc, argv);
  return 0;
}
