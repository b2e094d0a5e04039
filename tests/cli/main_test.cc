#include "provisioner/cli/main.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace prov::cli {
namespace {

TEST(DefectDeathTest, AnAbortExits20) {
  EXPECT_EXIT(
      {
        EndDefectsWithExit20();
        std::abort();
      },
      testing::ExitedWithCode(20), "error \\[internal\\]");
}

TEST(DefectDeathTest, AnExceptionThatNobodyCatchesExits20) {
  EXPECT_EXIT(
      {
        EndDefectsWithExit20();
        std::thread([] { throw std::runtime_error("not caught"); }).join();
      },
      testing::ExitedWithCode(20), "error \\[internal\\]");
}

}  // namespace
}  // namespace prov::cli
