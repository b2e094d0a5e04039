#include "provisioner/cli/defect.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "provisioner/base/error.h"

namespace prov::cli {
namespace {

[[noreturn]] void EndAsDefect() {
  std::fputs("provisioner: error [internal]: the program met a defect in itself and stopped\n", stderr);
  std::_Exit(InfoOf(Code::kInternal).exit);
}

void OnAbort(int /*signal*/) { EndAsDefect(); }

}  // namespace

void EndDefectsWithExit20() {
  std::set_terminate(EndAsDefect);
  std::signal(SIGABRT, OnAbort);
}

}  // namespace prov::cli
