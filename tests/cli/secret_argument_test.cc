#include "provisioner/cli/secret_argument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "provisioner/base/file.h"
#include "provisioner/cli/command.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"

namespace prov::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kSecretUrl = "http://user:hunter2@proxy.example.com:3128";

class SecretArgument : public testing::Test {
 protected:
  SecretPlaces Places() {
    return {[this](const std::string& path, std::uint64_t limit) -> Result<std::string> {
              reads_.push_back(path);
              const auto found = files_.find(path);
              if (found == files_.end()) return Fail(Code::kNotFound, "cannot open: No such file or directory", path);
              if (found->second.size() > limit) return Fail(Code::kTooLarge, "is larger than it may be", path);
              return found->second;
            },
            [this](const std::string& name) -> std::optional<std::string> {
              const auto found = variables_.find(name);
              return found == variables_.end() ? std::nullopt : std::optional(found->second);
            }};
  }
  Result<std::string> Read(const std::string& text) { return ReadSecretArgument(text, "--source-proxy", Places()); }
  Error ErrorOf(const std::string& text) { return ErrorIn(Read(text)); }
  // The arguments of `words` and the values that were read.
  Result<std::vector<std::string>> ReadAll(const CommandSpec& spec, const std::vector<std::string>& words) {
    arguments_ = PROV_TRY(ParseArguments(spec, words));
    return ReadSecretArguments(spec, Places(), arguments_);
  }

  std::map<std::string, std::string> files_;
  std::map<std::string, std::string> variables_;
  std::vector<std::string> reads_;
  Arguments arguments_;
};

TEST_F(SecretArgument, IsTheTextItselfOrWhatItNames) {
  files_ = {{"secret", kSecretUrl}, {"-", "http://input:1"}};
  variables_ = {{"PROXY_URL", "http://variable:1"}};
  EXPECT_EQ(Read(kSecretUrl), kSecretUrl);
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read("@secret"), kSecretUrl);
  EXPECT_EQ(Read("@-"), "http://input:1");
  EXPECT_EQ(Read("env:PROXY_URL"), "http://variable:1");
  EXPECT_THAT(reads_, ElementsAre("secret", "-"));
}

TEST_F(SecretArgument, OneLineEndDoesNotCount) {
  for (const char* end : {"", "\n", "\r\n"}) {
    files_["secret"] = std::string(kSecretUrl) + end;
    variables_["URL"] = files_["secret"];
    EXPECT_EQ(Read("@secret"), kSecretUrl);
    EXPECT_EQ(Read("env:URL"), kSecretUrl);
  }
  files_["secret"] = "a,b c\n";
  EXPECT_EQ(Read("@secret"), "a,b c") << "a password may hold whatever a line may";
}

TEST_F(SecretArgument, MissingFile) {
  const Error error = ErrorOf("@none");
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_EQ(error.where, "--source-proxy @none");
  EXPECT_EQ(ErrorOf("@").code, Code::kUsage);
}

TEST_F(SecretArgument, WhatIsNoValueIsRefusedAndNotShown) {
  const std::map<std::string, std::string> cases = {{"", "is empty"},
                                                    {"\n", "is empty"},
                                                    {"\r\n", "is empty"},
                                                    {"hunter2\nhunter3", "more than one line"},
                                                    {"hunter2\n\n", "more than one line"},
                                                    {"hunter2\rhunter3", "more than one line"},
                                                    {std::string("h\0u\0n\0", 6), "a NUL character"}};
  for (const auto& [bytes, message] : cases) {
    files_["secret"] = bytes;
    const Error error = ErrorOf("@secret");
    EXPECT_EQ(error.code, Code::kUsage) << bytes;
    EXPECT_THAT(error.message, AllOf(HasSubstr(message), Not(HasSubstr("hunter"))));
    EXPECT_EQ(error.where, "--source-proxy @secret");
  }
}

TEST_F(SecretArgument, SizeIsBounded) {
  files_["secret"] = std::string(65536, 'x');
  EXPECT_TRUE(Read("@secret"));
  files_["secret"] += 'x';
  EXPECT_EQ(ErrorOf("@secret").code, Code::kTooLarge);
}

TEST_F(SecretArgument, UnsetAndEmptyVariables) {
  variables_["EMPTY"] = "";
  EXPECT_THAT(ErrorOf("env:NONE").message, HasSubstr("there is no such environment variable"));
  EXPECT_EQ(ErrorOf("env:NONE").where, "--source-proxy env:NONE");
  EXPECT_THAT(ErrorOf("env:EMPTY").message, HasSubstr("is empty"));
}

// A URL without its scheme, whose user is called env.
TEST_F(SecretArgument, AfterEnvStandsANameOrItIsRefusedUnseen) {
  for (const char* text : {"env:", "env:hunter2@proxy:3128", "env:1", "env:a b"}) {
    const Error error = ErrorOf(text);
    EXPECT_EQ(error.code, Code::kUsage);
    EXPECT_THAT(error.message + error.where, Not(HasSubstr("hunter2"))) << text;
  }
}

TEST_F(SecretArgument, OnlyOptionsThatMayBeSecretAreRead) {
  files_["secret"] = kSecretUrl;
  const auto read = ReadAll(ExtractCommand().spec, {"@odd", "--name", "@secret", "--source-proxy", "@secret"});
  ASSERT_FALSE(read) << "SOURCE @odd is missing";
  ASSERT_EQ(ReadAll(ExtractCommand().spec, {"file", "--name", "@secret", "--source-proxy", "@secret"}),
            std::vector<std::string>{kSecretUrl});
  EXPECT_EQ(arguments_.Get("name"), "@secret");
  EXPECT_EQ(arguments_.Get("source-proxy"), kSecretUrl);
  EXPECT_EQ(arguments_.positional(), "file");
}

TEST_F(SecretArgument, ASourceOnAServerMayStandElsewhereToo) {
  files_ = {{"url", "https://example.com/doc?sig=hunter2\n"}, {"path", "other.yaml\n"}};
  ASSERT_TRUE(ReadAll(ExtractCommand().spec, {"@url"}));
  EXPECT_EQ(arguments_.positional(), "https://example.com/doc?sig=hunter2");
  const Error path = ErrorIn(ReadAll(ExtractCommand().spec, {"@path"}));
  EXPECT_EQ(path.code, Code::kUsage);
  EXPECT_THAT(path.message, HasSubstr("./@path"));
  ASSERT_TRUE(ReadAll(ServiceCommand().spec, {"install", "--source", "@url"}));
  EXPECT_EQ(arguments_.Get("source"), "https://example.com/doc?sig=hunter2");
}

TEST_F(SecretArgument, StandardInputIsReadOnce) {
  files_["-"] = kSecretUrl;
  const CommandSpec spec = ExtractCommand().spec;
  ASSERT_TRUE(ReadAll(spec, {"file", "--source-proxy", "@-"}));
  const std::vector<std::vector<std::string>> cases = {{"-", "--source-proxy", "@-"},
                                                       {"@-", "--source-proxy", "@-"},
                                                       {"file", "--ca=-", "--source-proxy", "@-"},
                                                       {"file", "--source-proxy", "@-", "--source-proxy", "@-"}};
  for (const auto& words : cases) {
    files_["-"] = words.front() == "@-" ? "https://example.com/doc" : kSecretUrl;
    const auto read = ReadAll(spec, words);
    ASSERT_FALSE(read) << words.front();
    EXPECT_EQ(read.error().code, Code::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr("standard input can be read once")) << words.front();
  }
}

TEST_F(SecretArgument, EveryOptionThatTakesAUrlWithCredentialsIsMarked) {
  const std::map<std::string, std::vector<std::string>> wanted = {{"bake", {"source-proxy", "exe-url", "ca-transport"}},
                                                                  {"check", {"source-proxy", "probe"}},
                                                                  {"apply", {"source-proxy", "probe"}},
                                                                  {"service", {"source-proxy", "source"}}};
  for (const CommandSpec& spec :
       {BakeCommand().spec, CheckCommand().spec, ApplyCommand().spec, ServiceCommand().spec}) {
    std::vector<std::string> marked;
    for (const OptionSpec& option : spec.options) {
      if (option.secret) marked.emplace_back(option.name);
    }
    EXPECT_THAT(marked, testing::UnorderedElementsAreArray(wanted.at(std::string(spec.name)))) << spec.name;
    EXPECT_THAT(HelpText(spec, true), HasSubstr("env:NAME")) << spec.name;
  }
}

// The program itself, through what the system gives it.
TEST(SecretArguments, ReachTheProgram) {
  const testing_support::ScratchFolder scratch;
  const std::string file = scratch.At("secret");
  // A scheme that is refused shows that the value arrived.
  ASSERT_TRUE(WriteFileAtomically(file, "socks5://user:hunter2@proxy:1\r\n", 0600));
  const auto run = [&](const std::string& proxy, const std::string& input) {
    return testing_support::Run(
        {testing_support::ProvisionerBinary(), "extract", "https://localhost:1/doc", "--source-proxy", proxy}, input,
        {{"EGRESS_SECRET", "socks5://user:hunter2@proxy:1"}});
  };
  for (const auto& [proxy, input] : std::map<std::string, std::string>{
           {"@" + file, ""}, {"env:EGRESS_SECRET", ""}, {"@-", "socks5://user:hunter2@proxy:1\n"}}) {
    const auto result = run(proxy, input);
    EXPECT_EQ(result.exit, 11) << proxy << result.err;
    EXPECT_THAT(result.out, HasSubstr("proxy-url"));
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("hunter2"))) << proxy;
  }
  EXPECT_EQ(run("@" + file + ".none", "").exit, 11);
  EXPECT_EQ(run("env:EGRESS_NO_SECRET", "").exit, 10);
  EXPECT_EQ(run("@-", "").exit, 10);
}

}  // namespace
}  // namespace prov::cli
