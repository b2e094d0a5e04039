// Runs of the program itself, and what it prints.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/rapidjson.h"
#include "provisioner/cli/main.h"
#include "tests/support/json_text.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::testing_support {

inline const std::string kSample = SampleFolder() + "rendered-worker.json";

inline ProcessResult Provisioner(std::vector<std::string> words, const std::string& input = "") {
  words.insert(words.begin(), ProvisionerBinary());
  return RunCopy(cli::Main, words, input, {{"SOURCE_DATE_EPOCH", ""}, {"NO_COLOR", "1"}});
}

// A document as the contract has it: an object with the schema's number.
inline rapidjson::Document Json(const std::string& text) {
  rapidjson::Document document = ParsedJson(text);
  EXPECT_TRUE(document.IsObject() && document.HasMember("schema") && document["schema"].GetInt() == 1) << text;
  return document;
}
inline rapidjson::Document Json(const ProcessResult& result) {
  SCOPED_TRACE(result.err);
  return Json(result.out);
}

// kubectl without a cluster.
inline ProcessResult Kubectl(std::vector<std::string> words) {
  words.insert(words.begin(), "kubectl");
  return Run(words, "", {{"KUBECONFIG", "/dev/null"}});
}
inline bool HasKubectl() { return Kubectl({"version", "--client"}).exit == 0; }

// Of the error that a run printed as JSON; "" if it printed none.
inline std::string ErrorCode(const ProcessResult& result) {
  const rapidjson::Document document = Json(result.out);
  return document.IsObject() && document.HasMember("error") ? document["error"]["code"].GetString() : "";
}

// A folder for the files that the program is given.
class ProgramTest : public testing::Test {
 protected:
  std::string At(const std::string& name) const { return scratch_.At(name); }
  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(At(name), std::ios::binary) << text;
    return At(name);
  }

  ScratchFolder scratch_;
};

}  // namespace prov::testing_support
