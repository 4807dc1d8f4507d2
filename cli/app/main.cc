// The `tegula` command: one file per verb.
#include <csignal>

#include "app/command.h"
#include "app/progress.h"
#include "app/verbs.h"

namespace {

tegula::Cancel cancel;

// The first Ctrl-C asks the work to stop at a clean point; the second one ends the process.
extern "C" void on_interrupt(int) {
  cancel.request();
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tegula::cli;
  std::signal(SIGINT, on_interrupt);
  TerminalProgress progress;
  Globals globals;
  globals.work.cancel = &cancel;
  globals.progress = &progress;
  return run_command(argc, argv, verbs(), globals);
}
