// Edited answer files as the schema of Windows setup has them.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/replaced.h"

namespace prov::unattend {
namespace {

namespace fs = std::filesystem;

TEST(AnswerFileSchema, WhatWasValidStaysValid) {
  const fs::path schema = fs::path(testing_support::TestsFolder()) / "../../shared/cases/windows/autounattend.xsd";
  const auto validates = [&](const fs::path& file) {
    return testing_support::Run({"xmllint", "--noout", "--schema", schema.string(), file.string()}).exit == 0;
  };
  if (!fs::exists(schema) || testing_support::Run({"xmllint", "--version"}).exit != 0) {
    std::cout << "SKIPPED: xmllint is missing, or the schema is not beside the repository\n";
    GTEST_SKIP();
  }
  std::size_t valid = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(testing_support::TestsFolder()) / "golden" / "unattend")) {
    const std::string before = entry.path().string();
    if (!before.ends_with(".before.xml") || !validates(before)) continue;
    ++valid;
    EXPECT_TRUE(validates(testing_support::Replaced(before, ".before.", ".after."))) << before;
  }
  EXPECT_EQ(valid, 11U) << "all but those with elements that the schema doesn't allow";
}

}  // namespace
}  // namespace prov::unattend
