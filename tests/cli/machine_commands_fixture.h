// A machine in memory on which commands run in this process, as a person would call them.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "provisioner/base/rapidjson.h"
#include "provisioner/cli/command.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/memory_host.h"
#include "tests/support/scratch_folder.h"

namespace prov::cli::machine_commands {

inline constexpr std::string_view kPassword = "S3cret";

class MachineCommands : public ::testing::Test {
 protected:
  MachineCommands() {
    reconcile::PutWindows(host_.memory);
    source_ = (root_ / "worker.json").string();
    WriteSource(testing_support::ReadAll(testing_support::SampleFolder() + "rendered-worker.json"));
  }

  // What the commands refused, for a test that expected otherwise.
  void TearDown() override {
    if (!HasFailure()) return;
    for (const Error& one : refusals_) std::cout << "refused: " << one.message << " (" << one.where << ")\n";
  }

  void WriteSource(const std::string& text) { std::ofstream(source_, std::ios::binary) << text; }

  Result<Outcome> Run(Command (*make)(), const std::vector<std::string>& words) {
    const Command command = make();
    const auto arguments = ParseArguments(command.spec, words);
    if (!arguments) return std::unexpected(arguments.error());
    auto outcome = command.run(*arguments, host_);
    if (!outcome) {
      refusals_.push_back(outcome.error());
    } else {
      EXPECT_THAT(outcome->out, testing::Not(testing::HasSubstr(kPassword)));
      for (const Finding& f : outcome->findings)
        EXPECT_THAT(f.message + f.where, testing::Not(testing::HasSubstr(kPassword)));
    }
    return outcome;
  }

  rapidjson::Document Json(Command (*make)(), std::vector<std::string> words, int exit = 0) {
    words.emplace_back("--output=json");
    rapidjson::Document out;
    const auto outcome = Run(make, words);
    EXPECT_TRUE(outcome) << outcome.error().message;
    if (!outcome) return out;
    EXPECT_EQ(outcome->exit, exit) << outcome->out;
    out.Parse(outcome->out.data(), outcome->out.size());
    EXPECT_FALSE(out.HasParseError()) << outcome->out;
    return out;
  }

  std::string Bake(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {source_, "--out", (root_ / name).string(), "--service", "containerd"};
    words.insert(words.end(), more.begin(), more.end());
    const auto baked = Run(BakeCommand, words);
    EXPECT_TRUE(baked) << baked.error().message;
    return (root_ / name).string();
  }

  // Payloads below the test's folder are delivered by Windows setup.
  void DeliverBySetup() {
    host_.setup_scripts = root_.string();
    // Paths on a Windows machine have backslashes; this test's file system may not.
    if (std::filesystem::path::preferred_separator != '\\') std::ranges::replace(host_.setup_scripts, '/', '\\');
  }

  testing_support::MemoryHost host_;
  testing_support::ScratchFolder scratch_;
  std::filesystem::path root_ = scratch_.path();
  std::string source_;

 private:
  std::vector<Error> refusals_;
};

}  // namespace prov::cli::machine_commands
