// `tegula tour`: the main verbs on small data in a temporary folder, each step as one would type it.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/verbs.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "files/file_writer.h"
#include "files/npy.h"
#include "output/output.h"

namespace tegula::cli {

namespace {

namespace fs = std::filesystem;

struct Flags {
  bool keep = false;
};

// A folder that is removed at the end of the tour.
struct Folder {
  fs::path path;
  bool keep = false;
  Folder() {
    std::string name = (fs::temp_directory_path() / "tegula-tour-XXXXXX").string();
    if (!mkdtemp(name.data()))
      fail(ErrorKind::io, "cannot make a folder below '{}'", fs::temp_directory_path().string());
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!keep) fs::remove_all(path, ignored);
  }
};

// Temperatures over 24 hours and a grid of 40 by 60 places: a daily cycle, a gradient from south to north, a warm spot.
void write_temperatures(const fs::path& path) {
  constexpr std::uint64_t kHours = 24, kRows = 40, kColumns = 60;
  Bytes data;
  ByteWriter out(data);
  for (std::uint64_t h = 0; h < kHours; ++h)
    for (std::uint64_t r = 0; r < kRows; ++r)
      for (std::uint64_t c = 0; c < kColumns; ++c) {
        const double spot =
            std::exp(-(std::pow(static_cast<double>(r) - 12, 2) + std::pow(static_cast<double>(c) - 40, 2)) / 60);
        const double value =
            8 + 0.25 * static_cast<double>(r) + 5 * std::sin((static_cast<double>(h) - 8) * M_PI / 12) + 6 * spot;
        out.put(static_cast<float>(std::round(value * 100) / 100));
      }
  FileWriter file(path.string());
  file.write(npy_header(Datatype(TypeId::float32), {kHours, kRows, kColumns}));
  file.write(ByteView(data));
  file.commit();
}

void write_text(const fs::path& path, std::string_view text) {
  FileWriter file(path.string());
  file.write(text);
  file.commit();
}

// Flips one byte in the middle of a file.
void damage(const fs::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(fs::file_size(path) / 2);
  file.seekg(middle);
  const int byte = file.get();
  file.seekp(middle);
  file.put(static_cast<char>(byte ^ 0x55));
}

class Tour {
 public:
  explicit Tour(const fs::path& folder) : folder_(folder), self_(fs::read_symlink("/proc/self/exe").string()) {}

  void say(std::string_view text) { print(fmt::format("\n{}\n", text)); }
  // Runs `tegula ARGS` in the folder; its exit code must be the one that is expected.
  void step(const std::string& args, int expected = kOk) {
    print(fmt::format("$ tegula {}\n", args));
    std::fflush(stdout);
    const int status = std::system(fmt::format("cd '{}' && '{}' {} 2>&1", folder_.string(), self_, args).c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code != expected) fail(ErrorKind::io, "the step ended with {} instead of {}", code, expected);
    if (code != kOk) print(fmt::format("(exit {})\n", code));
  }

 private:
  fs::path folder_;
  std::string self_;
};

int run(const Flags& flags, const Globals& globals) {
  Folder folder;
  folder.keep = flags.keep;
  write_temperatures(folder.path / "temps.npy");
  write_text(folder.path / "stations.csv", "name,height,opened\nVega,12.5,1931\nLyra,840.0,1977\nDeneb,3.0,2004\n");
  write_text(folder.path / "events.csv",
             "day,place,strength,note\n12,Lyra,3.5,\n12,Vega,1.25,faint\n58,Deneb,4.0,clear\n200,Vega,2.0,\n");
  write_text(folder.path / "corrections.csv",
             "day,place,strength,note\n58,Deneb,2.5,checked again\n59,Lyra,5.75,new\n");
  Tour tour(folder.path);
  print(fmt::format("In {}: temps.npy, 24 hours of temperatures on a grid of 40 x 60, and a few small tables.\n",
                    folder.path.string()));

  tour.say("The same field in every format that holds grids.");
  for (const char* format : {"zarr0", "zarr1", "zarr2", "zarr3"})
    tour.step(fmt::format("create temps.{} temps.npy --format {} --tile 6,20,20", format, format));
  tour.step("create temps.bcolz temps.npy --format bcolz --tile 6,40,60");
  tour.step("create temps.tdb temps.npy --format tiledb --tile 6,20,20 --at 2024-05-30");
  tour.step("ls .");

  tour.say("What is it?");
  tour.step("info temps.tdb");

  tour.say("A part of it, a few numbers, a picture.");
  tour.step("read temps.zarr2 --select '[12, 10:14, 38:42]'");
  tour.step("stats temps.bcolz");
  tour.step("plot temps.zarr3 --select '[14]' --ascii --height 20");

  tour.say("TileDB keeps history: a sparse array of events, written on two days, read as of either.");
  tour.step(
      "create events --format tiledb --sparse -d day:int32:1:366:30 -d place:ascii -a strength:float64 -a "
      "note:utf8:var");
  tour.step("write events events.csv --at 2024-05-30");
  tour.step("write events corrections.csv --at 2024-05-31");
  tour.step("fragments events");
  tour.step("read events --at 2024-05-30T12:00");
  tour.step("read events --range day=10:60 --where 'strength > 3'");

  tour.say("Many writes leave many fragments. Merged, they are one, and the past can still be read.");
  tour.step("consolidate events");
  tour.step("vacuum events");
  tour.step("read events --at 2024-05-30T12:00");

  tour.say("A table: rows are found by conditions.");
  tour.step("create stations stations.csv --format bcolz --table -a name:S10 -a height:float64 -a opened:int32");
  tour.step("read stations --where 'height > 5 and opened < 2000'");
  tour.step("read stations --agg 'count(), max(height)'");

  tour.say("From one format to another, and finer tiles. Nothing is lost.");
  tour.step("convert temps.bcolz copy.zarr --to zarr3 --tile 4,10,10 --filters zstd:5,crc32c --verify");
  tour.step("diff temps.tdb copy.zarr");

  tour.say("One byte of one chunk is damaged. Reading it is an error, never a made-up number; verify says where.");
  damage(folder.path / "copy.zarr" / "c" / "2" / "1" / "3");
  tour.step("verify copy.zarr", kProblems);
  tour.step("read copy.zarr --select '[8, 12, 35]'", kFailure);
  tour.step("read copy.zarr --select '[0, 12, 35]'");
  if (flags.keep) print(fmt::format("\nEverything is still in {}\n", folder.path.string()));
  globals.work.check();
  return kOk;
}

}  // namespace

void describe_tour(Verb verb, Globals& globals) {
  auto flags = std::make_shared<Flags>();
  verb.flag("--keep", flags->keep, "leave the folder for a closer look")
      .examples("  tegula tour")
      .run([flags, &globals] { return run(*flags, globals); });
}

}  // namespace tegula::cli
