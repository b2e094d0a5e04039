// `check --secret`: compares a Secret with our user data with a later version of the operator's Secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/base64.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/base/text.h"
#include "tests/cli/program_run.h"
#include "tests/support/process.h"
#include "tests/support/sample.h"

namespace prov {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::kSample;
using testing_support::ProcessResult;
using testing_support::Provisioner;

std::string OperatorsScript(std::string_view key) {
  return "function f {\n\tparam($x)\n}\necho \"" + std::string(key) +
         "\" | Out-File administrators_authorized_keys -Encoding ascii\nRestart-Service sshd\n";
}

std::string Tagged(std::string_view key) {
  return "<powershell>" + OperatorsScript(key) + "</powershell>\n<persist>true</persist>\n";
}

std::string SecretOf(std::string_view user_data) {
  return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: windows-user-data\ndata:\n  userData: " +
         EncodeBase64(user_data) + "\n";
}

class CheckSecret : public testing_support::ProgramTest {
 protected:
  ProcessResult Bake(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"bake", kSample, "--format", "userdata", "--out", At("ours")};
    words.insert(words.end(), more.begin(), more.end());
    return Provisioner(words);
  }
  ProcessResult Check(const std::string& theirs) {
    return Provisioner({"check", "--secret", At("ours"), "--append-to", theirs, "--output", "json"});
  }
};

TEST_F(CheckSecret, SaysWhetherTheOperatorsScriptIsStillThatOfToday) {
  const std::string then = Write("then.yaml", SecretOf(Tagged("ssh-rsa OLD")));
  const std::string now = Write("now.yaml", SecretOf(Tagged("ssh-rsa NEW")));
  const std::string script = Write("now.txt", Tagged("ssh-rsa NEW"));
  const std::vector<std::vector<std::string>> forms = {
      {"--platform", "aws"},
      {"--platform", "aws", "--secret", "ours"},
      {"--platform", "azure", "--secret", "ours"},
      {"--platform", "gcp", "--exe-url", "https://example.com/x#sha256=" + std::string(64, 'a')},
      {"--platform", "openstack", "--secret", "ours"},
      {"--platform", "vsphere", "--secret", "ours", "--secret-form", "cluster-api"},
      {"--platform", "vsphere"}};
  for (std::vector<std::string> form : forms) {
    SCOPED_TRACE(testing::PrintToString(form));
    form.insert(form.end(), {"--append-to", then});
    const ProcessResult made = Bake(form);
    ASSERT_EQ(made.exit, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr("[append-stale]"));
    EXPECT_EQ(Check(then).exit, 0);
    EXPECT_THAT(Check(then).out, HasSubstr("\"current\": true"));
    for (const std::string& other : {now, script}) {
      const ProcessResult stale = Check(other);
      EXPECT_EQ(stale.exit, 4) << stale.out << stale.err;
      EXPECT_THAT(stale.out, HasSubstr("\"current\": false"));
      EXPECT_THAT(stale.out, HasSubstr("append-stale"));
    }
  }
}

TEST_F(CheckSecret, SaysItForPeople) {
  const std::string then = Write("then.txt", Tagged("OLD"));
  const std::string now = Write("now.txt", Tagged("NEW"));
  ASSERT_EQ(Bake({"--platform", "aws", "--append-to", then}).exit, 0);
  const ProcessResult current = Provisioner({"check", "--secret", At("ours"), "--append-to", then});
  EXPECT_EQ(current.out, At("ours") + ": current: it runs the script of " + then +
                             "; its settings were not compared: give the SOURCE, too\n");
  EXPECT_EQ(current.err, "");
  const ProcessResult stale = Provisioner({"check", "--secret", At("ours"), "--append-to", now});
  EXPECT_EQ(stale.exit, 4);
  EXPECT_THAT(stale.out, HasSubstr(": stale: its script is not that of " + now + "; "));
  EXPECT_THAT(stale.err, HasSubstr("bake the Secret again with --append-to " + now));
}

TEST_F(CheckSecret, ComparesTheSettingsWithTheSource) {
  const auto source = [&](const std::string& name, const std::string& proxy, const std::string& no_proxy) {
    return Write(name + ".env", "HTTPS_PROXY=http://" + proxy + "\nNO_PROXY=" + no_proxy + "\n");
  };
  const std::string then = source("then", "u:one@proxy:1", "a.org,b.org");
  const struct {
    std::string now;
    std::vector<std::string> baked;
    std::string stale;
  } rows[] = {
      {then, {}, "[]"},
      {source("order", "u:one@PROXY:1", "b.org,a.org"), {}, "[]"},
      {source("host", "u:one@other:1", "a.org,b.org"), {}, "[\"proxy\"]"},
      {source("list", "u:one@proxy:1", "a.org"), {}, "[\"proxy\"]"},
      {source("password", "u:two@proxy:1", "a.org,b.org"), {}, "[\"credentials\"]"},
      {At("password.env"), {"--credentials", "none"}, "[]"},
      {At("list.env"), {"--augment"}, "[\"proxy\"]"},
      {then, {"--with-wmco", "--service", "containerd"}, "[]"},
      {kSample, {"--scope", "machine"}, "[\"proxy\",\"credentials\",\"certificates\"]"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> words = {"bake",  then,       "--format", "userdata", "--platform",
                                      "azure", "--secret", "ours",     "--out",    At("ours")};
    words.insert(words.end(), row.baked.begin(), row.baked.end());
    ASSERT_EQ(Provisioner(words).exit, 0) << row.now;
    const ProcessResult result = Provisioner({"check", row.now, "--secret", At("ours"), "--output", "json"});
    std::string flat = result.out;
    std::erase_if(flat, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_THAT(flat, HasSubstr("\"staleSettings\":" + row.stale)) << row.now << result.err;
    EXPECT_EQ(result.exit, row.stale == "[]" ? 0 : 4) << row.now;
  }
  const ProcessResult text = Provisioner({"check", At("host.env"), "--secret", At("ours")});
  EXPECT_EQ(text.out, At("ours") + ": stale: its settings are not those of " + At("host.env") + " (proxy)\n");
  EXPECT_THAT(text.err, HasSubstr("has other settings than " + At("host.env")));
  EXPECT_EQ(Provisioner({"check", then, "--secret", Write("foreign", Tagged("KEY"))}).exit, 11);
}

TEST_F(CheckSecret, ComparesTheCertificatesWithTheSource) {
  ASSERT_EQ(Bake({"--platform", "azure", "--secret", "ours"}).exit, 0);
  EXPECT_EQ(Provisioner({"check", kSample, "--secret", At("ours")}).out,
            At("ours") + ": current: its settings are those of " + kSample + "\n");
  const std::string one = Write("one.pem", testing_support::Pem("corporate-root"));
  ASSERT_EQ(Provisioner({"bake", one, "--format", "userdata", "--platform", "azure", "--out", At("ours")}).exit, 0);
  EXPECT_THAT(Provisioner({"check", kSample, "--secret", At("ours")}).out, HasSubstr("certificates)"));
}

// oc get ... > FILE in Windows PowerShell.
TEST_F(CheckSecret, ReadsSecretsThatPowerShellSaved) {
  const std::string then = Write("then.yaml", "\xff\xfe" + ToUtf16Le(SecretOf(Tagged("OLD"))));
  const std::string now = Write("now.yaml", "\xef\xbb\xbf" + SecretOf(Tagged("NEW")));
  ASSERT_EQ(Bake({"--platform", "aws", "--secret", "ours", "--append-to", then}).exit, 0);
  EXPECT_EQ(Check(then).exit, 0);
  EXPECT_EQ(Check(now).exit, 4);
  Write("ours", "\xff\xfe" + ToUtf16Le(testing_support::ReadAll(At("ours"))));
  EXPECT_EQ(Check(then).exit, 0);
}

TEST_F(CheckSecret, RefusesFilesThatHoldSomethingElse) {
  const std::string theirs = Write("theirs.txt", Tagged("KEY"));
  const auto error = [&](const std::string& ours, const std::string& other) {
    const ProcessResult result = Provisioner({"check", "--secret", ours, "--append-to", other, "--output", "json"});
    EXPECT_THAT(result.exit, testing::AnyOf(0, 4, 11)) << result.err;
    return testing_support::ErrorCode(result);
  };
  ASSERT_EQ(Bake({"--platform", "aws"}).exit, 0);
  EXPECT_EQ(error(At("ours"), theirs), "kind") << "nothing is behind our step";
  EXPECT_EQ(error(theirs, theirs), "kind") << "no step of ours";
  ASSERT_EQ(Bake({"--platform", "aws", "--append-to", theirs}).exit, 0);
  EXPECT_EQ(error(At("ours"), At("ours")), "kind") << "ours is given as the operator's";
  const std::string number = Write("number.yaml", "apiVersion: v1\nkind: Secret\ndata:\n  userData: 1\n");
  EXPECT_THAT(Provisioner({"check", "--secret", At("ours"), "--append-to", number}).err,
              HasSubstr("has no text data.userData"));
  EXPECT_EQ(error(At("ours"), Write("map.yaml", "apiVersion: v1\nkind: ConfigMap\ndata: {}\n")), "kind");
  EXPECT_EQ(error(At("ours"), At("missing")), "not-found");
  const std::string no_key = "apiVersion: v1\nkind: Secret\ndata:\n  disableTemplating: dHJ1ZQ==\n";
  EXPECT_EQ(error(Write("no-key.yaml", no_key), theirs), "kind") << "a Secret without user data";
  EXPECT_EQ(error(At("ours"), At("no-key.yaml")), "kind");
  const std::string no_base64 = "apiVersion: v1\nkind: Secret\ndata:\n  userData: '<powershell>'\n";
  EXPECT_EQ(error(At("ours"), Write("no-base64.yaml", no_base64)), "kind");
  EXPECT_EQ(error(At("ours"), Write("cut.json", "{\"kind\": \"Secret\", \"data\": {")), "json");
  for (const std::string& garbage : {std::string(), std::string("\xff\xfe\0\xd8", 4), std::string("\x1f\x8b\x08x")}) {
    EXPECT_EQ(error(Write("garbage", garbage), theirs), "kind") << garbage.size();
    EXPECT_EQ(error(At("ours"), At("garbage")), "kind") << garbage.size();
  }
}

TEST_F(CheckSecret, SaysThatTheTwoFilesAreInEachOthersPlace) {
  const std::string theirs = Write("theirs.yaml", SecretOf(Tagged("KEY")));
  for (const char* platform : {"aws", "openstack", "nutanix"}) {
    ASSERT_EQ(Bake({"--platform", platform, "--secret", "ours", "--append-to", theirs}).exit, 0);
    const ProcessResult result = Provisioner({"check", "--secret", theirs, "--append-to", At("ours")});
    EXPECT_EQ(result.exit, 11);
    EXPECT_THAT(result.err, HasSubstr("Use --secret " + At("ours") + " --append-to " + theirs)) << platform;
  }
}

TEST_F(CheckSecret, OptionsThatDontGoTogetherAreRefused) {
  const std::string theirs = Write("theirs.txt", Tagged("KEY"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", "--secret", theirs},
                                             {"check", "--append-to", theirs},
                                             {"check", kSample, "--append-to", theirs},
                                             {"check", "--secret", theirs, "--append-to", theirs, "--strict"},
                                             {"check", "--secret", theirs, "--append-to", theirs, "--pool", "worker"},
                                             {"check"}}) {
    EXPECT_EQ(Provisioner(words).exit, 10) << testing::PrintToString(words);
  }
}

// A Secret of somebody else's making has no disableTemplating.
TEST_F(CheckSecret, BakeSaysWhereOpenstackWouldTakeTheScriptForATemplate) {
  const std::string braces = Write("braces.txt", "& {{ 'a' }.Invoke()}\n");
  const std::string none = Write("none.txt", Tagged("KEY"));
  EXPECT_THAT(Bake({"--platform", "openstack", "--append-to", braces}).err, HasSubstr("[userdata-template]"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--platform", "openstack", "--append-to", none},
                                             {"--platform", "openstack", "--append-to", braces, "--secret", "a"},
                                             {"--platform", "nutanix", "--append-to", braces}}) {
    const ProcessResult made = Bake(words);
    EXPECT_EQ(made.exit, 0) << made.err;
    EXPECT_THAT(made.err, Not(HasSubstr("[userdata-template]"))) << testing::PrintToString(words);
  }
}

// The operator deletes a Machine that it can't reach by SSH.
TEST_F(CheckSecret, BakeSaysWhereTheOperatorCouldNotGetIn) {
  const std::string without = Write("without.txt", "<powershell>\nStart-Service sshd\n</powershell>\n");
  const ProcessResult refused = Bake({"--platform", "aws", "--with-wmco", "--append-to", without});
  EXPECT_EQ(refused.exit, 11);
  EXPECT_THAT(refused.err, HasSubstr("error [kind]: --append-to does not write administrators_authorized_keys"));
  const std::string named = Write("named.yaml",
                                  "apiVersion: v1\nkind: Secret\nmetadata:\n  name: windows-user-data\nstringData:\n"
                                  "  userData: |\n    <powershell>\n    Start-Service sshd\n    </powershell>\n");
  EXPECT_THAT(Bake({"--platform", "aws", "--append-to", named}).err, HasSubstr("warning [append-wmco]"));
  EXPECT_THAT(Bake({"--platform", "aws", "--with-wmco", "--secret", "a"}).err, HasSubstr("[append-no-keys]"));
  EXPECT_THAT(Bake({"--platform", "aws", "--secret", "a"}).err, Not(HasSubstr("[append-no-keys]")));
}

}  // namespace
}  // namespace prov
