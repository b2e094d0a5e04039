// Whole documents as clusters wrote them, where the folder with them is there.
#include <gtest/gtest.h>

#include <filesystem>

#include "ignition/document.h"
#include "provisioner/base/file.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "tests/ignition/helpers.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"

namespace prov::ignition {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProxyFile = "/etc/mco/proxy.env";
constexpr const char* kBundleFile = "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt";

std::string Text(const JsonValue* object, std::string_view name) {
  const JsonValue* value = object != nullptr ? JsonMember(object, name) : nullptr;
  return value != nullptr && value->IsString() ? std::string(JsonTextOf(*value)) : "";
}

void CompareFile(const Config& config, const char* path, const JsonValue* expected) {
  auto file = Must(config.Read(path));
  if (Text(expected, "file_sha256").empty()) return;
  ASSERT_TRUE(file) << path;
  EXPECT_EQ(ToHex(Sha256(file->bytes)), Text(expected, "file_sha256")) << path;
  EXPECT_EQ(file->bytes.size(), JsonMember(expected, "file_bytes")->GetUint()) << path;
  EXPECT_EQ(file->mode, JsonMember(expected, "mode")->GetUint()) << path;
}

// Hand-written samples have no hashes: their variables must be lines of the file.
void CompareVariables(const Config& config, const JsonValue& variables) {
  auto file = Must(config.Read(kProxyFile));
  std::string text;
  if (file) {
    text = file->bytes;
  } else {  // before OpenShift 4.7: Environment= lines
    for (const std::string& path : config.FilePaths()) {
      if (path.ends_with("10-default-env.conf")) text += (**config.Read(path)).bytes;
    }
  }
  for (const auto& member : variables.GetObject()) {
    const std::string line = fmt::format("{}={}\n", JsonTextOf(member.name), JsonTextOf(member.value));
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

void CompareCase(const fs::path& folder) {
  SCOPED_TRACE(folder.filename().string());
  auto expected_text = Must(ReadFile((folder / "expected.json").string(), 1 << 20));
  auto expected_document = Must(ParseJson(std::move(expected_text), {}));
  const JsonValue* root = &expected_document->root();
  const JsonValue* expect = JsonMember(root, "expect");
  ASSERT_NE(expect, nullptr);
  auto input = Must(ReadFile((folder / Text(root, "input")).string(), 64 << 20));
  auto document = ReadText(std::move(input));
  if (!JsonMember(expect, "accept")->GetBool()) {
    const Error error = document ? document->config.Read(Text(expect, "path")).error() : document.error();
    EXPECT_EQ(InfoOf(error.code).name, Text(expect, "error_class"));
    return;
  }
  ASSERT_TRUE(document) << document.error().message << " " << document.error().where;
  if (const std::string name = Text(expect, "name"); !name.empty()) {
    EXPECT_EQ(document->name, name);
  }
  if (const std::string version = Text(expect, "spec_version"); !version.empty()) {
    EXPECT_EQ(document->config.version(), version);
  }
  EXPECT_TRUE(document->findings.empty());
  CompareFile(document->config, kProxyFile, JsonMember(expect, "proxy"));
  CompareFile(document->config, kBundleFile, JsonMember(expect, "trust_bundle"));
  CompareVariables(document->config, *JsonMember(JsonMember(expect, "proxy"), "vars"));
}

TEST(Samples, AreReadAsTheyMustBe) {
  const fs::path folder = fs::path(testing_support::TestsFolder()) / ".." / ".." / "shared" / "cases" / "ignition";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "the samples are not here: " << folder;
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!fs::exists(entry.path() / "expected.json")) continue;
    CompareCase(entry.path());
    ++cases;
  }
  EXPECT_GE(cases, 10);
}

}  // namespace
}  // namespace prov::ignition
