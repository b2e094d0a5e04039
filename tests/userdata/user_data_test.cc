#include "provisioner/userdata/user_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/base64.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/payload.h"
#include "provisioner/userdata/user_data_reader.h"
#include "provisioner/userdata/user_data_secret.h"
#include "tests/support/finding_codes.h"
#include "tests/support/make_certificate.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/userdata/logged_words.h"
#include "tests/userdata/user_data_reader.h"

namespace prov::userdata {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::CodesOf;
using testing_support::PartsOf;
using testing_support::SampleConfig;
using testing_support::ScriptOf;

constexpr std::string_view kCanary = "c4nary";
constexpr std::size_t kOperatorsBytes = 5019;

reconcile::DesiredOptions Choices(reconcile::CredentialPolicy credentials = reconcile::CredentialPolicy::kMachine) {
  reconcile::DesiredOptions options;
  options.services = {"containerd"};
  options.credentials = credentials;
  return options;
}

std::string BundleHash(const reconcile::DesiredState& state) { return ToHex(Sha256(payload::BundlePem(state))); }
std::string BundleHash() { return BundleHash(*reconcile::MakeDesiredState(SampleConfig(), Choices())); }

// What has no room goes before anything is refused.
TEST(UserData, LeavesOutTakingBackWhereThereIsNoRoomAndSaysSo) {
  const auto state = *reconcile::MakeDesiredState(SampleConfig(), Choices());
  UserDataOptions options{.platform = Platform::kAws};
  const auto all = Must(MakeUserData(SampleConfig(), state, options));
  EXPECT_THAT(CodesOf(all.findings), Not(testing::Contains("userdata-short")));
  options.foreign =
      ForeignUserData{"#" + std::string(ChannelOf(Platform::kAws).limit - all.bytes.size() + 100, 'x') + "\n"};
  const auto less = Must(MakeUserData(SampleConfig(), state, options));
  EXPECT_THAT(CodesOf(less.findings), testing::Contains("userdata-short"));
}

UserData Make(const UserDataOptions& options, const reconcile::DesiredOptions& choices = Choices()) {
  const egress::EgressConfig config = SampleConfig();
  return Must(MakeUserData(config, *reconcile::MakeDesiredState(config, choices), options));
}

const Finding& FindingOf(const UserData& data, std::string_view code) {
  static const Finding kNone;
  for (const Finding& finding : data.findings) {
    if (finding.code == code) return finding;
  }
  ADD_FAILURE() << code;
  return kNone;
}

// What the operator's user data looks like, at its size on AWS.
std::string OperatorsUserData(std::size_t bytes = kOperatorsBytes) {
  const std::string end = "</powershell>\n<persist>true</persist>\n";
  std::string out = "<powershell>function Get-Something {\n\tAdd-Type -AssemblyName 'System.Web'\n}\n";
  while (out.size() + end.size() + 60 < bytes) out += "\tWrite-Output \"a line of the operator's script\"\n";
  out.append(bytes - end.size() - out.size() - 1, '#').append("\n");
  return out + end;
}

ForeignUserData Operators() { return *ReadForeignUserData(OperatorsUserData(), "operator"); }

Download Exe() { return {"https://example.com/provisioner.exe", std::string(64, 'a')}; }

struct Form {
  const char* name;
  UserDataOptions options;
};

std::vector<Form> AllForms() {
  std::vector<Form> out;
  for (const Channel& channel : Channels()) {
    out.push_back({channel.name.data(), {.platform = channel.platform}});
  }
  return out;
}

// The data of each form leads to the state that it was made of, and the bytes are the same twice.
TEST(UserData, CarriesTheStateInEveryForm) {
  const auto state = *reconcile::MakeDesiredState(SampleConfig(), Choices());
  for (Form form : AllForms()) {
    SCOPED_TRACE(form.name);
    form.options.generation = 7;
    const UserData data = Make(form.options);
    EXPECT_EQ(data.bytes, Make(form.options).bytes);
    const auto parts = PartsOf(ScriptOf(data.bytes));
    const auto read = Must(ReadContainer(parts.container, "data.egress"));
    EXPECT_EQ(read.generation, 7);
    const auto again = *reconcile::MakeDesiredState(read.config, read.options);
    EXPECT_EQ(payload::EgressJson(SampleConfig(), again, 1), payload::EgressJson(SampleConfig(), state, 1));
    ASSERT_EQ(read.config.certificates.size(), state.certificates.size());
    for (std::size_t i = 0; i < state.certificates.size(); ++i) {
      EXPECT_EQ(read.config.certificates[i].der, state.certificates[i].certificate.der);
    }
    EXPECT_EQ(read.config.source.name, SampleConfig().source.name);
  }
}

// What bake wrote is a source again, in each form: plain, in a Secret, and as oc prints the Secret.
TEST(UserData, IsReadBackFromEveryForm) {
  for (const Form& form : AllForms()) {
    SCOPED_TRACE(form.name);
    UserDataOptions options = form.options;
    options.foreign = form.options.platform == Platform::kAws ? std::optional(Operators()) : std::nullopt;
    const UserData data = Make(options);
    const std::string container = PartsOf(ScriptOf(data.bytes)).container;
    EXPECT_EQ(ContainerIn(data.bytes, "x"), container);
    for (const SecretForm secret : {SecretForm::kMachineApi, SecretForm::kClusterApi}) {
      options.secret_form = secret;
      EXPECT_EQ(ContainerIn(UserDataSecret("egress", data, options).value(), "x"), container);
    }
    EXPECT_EQ(
        ContainerIn(fmt::format(R"({{"kind":"Secret","data":{{"userData":"{}"}}}})", EncodeBase64(data.bytes)), "x"),
        container);
  }
}

TEST(UserData, IsReadBackFromAListOfSecrets) {
  const UserData data = Make({});
  const std::string container = PartsOf(ScriptOf(data.bytes)).container;
  const auto secret = [](std::string_view name, std::string_view bytes) {
    return fmt::format(R"({{"kind":"Secret","metadata":{{"name":"{}"}},"data":{{"userData":"{}"}}}})", name,
                       EncodeBase64(bytes));
  };
  const auto list = [](const std::vector<std::string>& items) {
    return fmt::format(R"({{"kind":"List","items":[{}]}})", fmt::join(items, ","));
  };
  const std::string ours = secret("win", data.bytes);
  const std::string pointer = secret("worker-user-data", "{}");
  EXPECT_EQ(ContainerIn(list({ours}), "x"), container);
  EXPECT_EQ(ContainerIn(list({ours, R"({"kind":"Secret","data":{"token":"AAAA"}})", secret("none", "")}), "x", "other"),
            container);
  const Error several = ErrorIn(ContainerIn(list({ours, pointer}), "x"));
  EXPECT_EQ(several.code, Code::kNotFound);
  EXPECT_EQ(several.message,
            "holds several Secrets with user data (win, worker-user-data); say with --name which one is meant");
  EXPECT_EQ(ContainerIn(list({ours, pointer}), "x", "win"), container);
  EXPECT_EQ(ContainerIn(list({ours, pointer}), "x", "worker-user-data"), std::nullopt);
  EXPECT_EQ(ContainerIn(list({pointer, secret("b", "#!/bin/sh")}), "x"), std::nullopt);
  EXPECT_EQ(ContainerIn(list({ours, R"({"kind":"Proxy"})"}), "x"), std::nullopt) << "the Proxy would be lost";
}

TEST(UserData, IsToldFromOtherFilesAndFromDamage) {
  for (const std::string other :
       {"HTTP_PROXY=http://p:1\n", R"({"kind":"MachineConfig"})", "",
        R"({"kind":"ControllerConfig","pullSecret":"p","tags":[{"key":"k","value":"v"}]})",
        "kind: Secret\napiVersion: v1\n", "# ProvisionerUserData was here\nHTTP_PROXY=http://p:1\n"}) {
    EXPECT_EQ(ContainerIn(other, "x"), std::nullopt) << other;
  }
  std::string cut = Make({}).bytes;
  cut.erase(cut.size() / 2, 1);
  EXPECT_EQ(ErrorIn(ContainerIn(cut, "x")).code, Code::kInvalidConfig);
}

// Readers look at the first and the last bytes.
TEST(UserData, BeginsAndEndsAsItsReaderWantsIt) {
  const auto bytes = [](UserDataOptions options) { return Make(options).bytes; };
  EXPECT_THAT(
      bytes({.platform = Platform::kAws}),
      AllOf(StartsWith("<powershell>\n&{"), EndsWith("exit $LASTEXITCODE\n</powershell>\n<persist>true</persist>")));
  for (const Platform platform : {Platform::kAzure, Platform::kGcp, Platform::kNone}) {
    EXPECT_THAT(bytes({.platform = platform}),
                AllOf(StartsWith("&{try{"), EndsWith("}\nexit $LASTEXITCODE\n"), Not(HasSubstr("powershell>"))));
  }
  for (const Platform platform : {Platform::kNutanix, Platform::kOpenstack}) {
    EXPECT_THAT(bytes({.platform = platform}), StartsWith("#ps1_sysnative\n&{try{"));
  }
  const auto value = DecodeBase64(bytes({.platform = Platform::kVsphere}));
  ASSERT_TRUE(value);
  EXPECT_THAT(*value, StartsWith("\x1f\x8b\x08"));
  EXPECT_THAT(testing_support::Gunzip(*value), StartsWith("#ps1_sysnative\n&{try{"));
}

TEST(UserData, IsPrintableAsciiWithLineFeedsAndLinesThatFitMime) {
  for (const Form& form : AllForms()) {
    SCOPED_TRACE(form.name);
    std::size_t column = 0;
    for (const char c : ScriptOf(Make(form.options).bytes)) {
      ASSERT_TRUE((c >= ' ' && c < 0x7f) || c == '\n') << int{c};
      column = c == '\n' ? 0 : column + 1;
      ASSERT_LE(column, 998U);
    }
  }
}

// No value is in the code: what is outside of the data, and the script in it, are the same whatever the settings.
TEST(UserData, ScriptIsConstant) {
  egress::EgressConfig other;
  other.source = {"Ignition", "other", "3.1.0"};
  other.proxy_file.present = true;
  other.http_proxy = Secret("http://other.example:1");
  const UserDataOptions options{.platform = Platform::kGcp};
  const auto theirs = Must(MakeUserData(other, *reconcile::MakeDesiredState(other, {}), options));
  const auto a = PartsOf(Make(options).bytes);
  const auto b = PartsOf(theirs.bytes);
  EXPECT_EQ(a.outside, b.outside);
  EXPECT_EQ(a.script, b.script);
  EXPECT_NE(a.container, b.container);
}

TEST(UserData, CanaryIsOnlyInWhatIsMarkedSecret) {
  for (const Form& form : AllForms()) {
    SCOPED_TRACE(form.name);
    const UserData with = Make(form.options);
    EXPECT_TRUE(with.secret);
    EXPECT_THAT(PartsOf(ScriptOf(with.bytes)).container, HasSubstr(kCanary));
    for (const Finding& finding : with.findings) EXPECT_THAT(finding.message, Not(HasSubstr(kCanary)));
    const UserData without = Make(form.options, Choices(reconcile::CredentialPolicy::kNone));
    EXPECT_FALSE(without.secret);
    EXPECT_THAT(PartsOf(ScriptOf(without.bytes)).container, Not(HasSubstr(kCanary)));
  }
}

TEST(UserData, NamesWhoCanReadCredentialsOnEachPlatform) {
  for (const Channel& channel : Channels()) {
    const UserData with = Make({.platform = channel.platform});
    EXPECT_THAT(FindingOf(with, "userdata-credentials").message, HasSubstr(std::string(channel.readers)));
    const UserData without = Make({.platform = channel.platform}, Choices(reconcile::CredentialPolicy::kNone));
    EXPECT_THAT(CodesOf(without.findings), Not(testing::Contains("userdata-credentials")));
  }
}

TEST(UserData, SaysThatNothingReconcilesWithoutTheProgram) {
  EXPECT_THAT(FindingOf(Make({.platform = Platform::kAws}), "script-only").message, HasSubstr("at each boot"));
  EXPECT_THAT(FindingOf(Make({.platform = Platform::kAzure}), "script-only").message, HasSubstr("once"));
  EXPECT_THAT(CodesOf(Make({.platform = Platform::kAws, .exe = Exe()}).findings),
              Not(testing::Contains("script-only")));
}

TEST(UserData, SaysThatTheClustersProviderForVsphereNeverRunsIt) {
  EXPECT_THAT(FindingOf(Make({.platform = Platform::kVsphere}), "userdata-delivery").message,
              AllOf(HasSubstr("guestinfo.userdata.encoding = gzip+base64"), HasSubstr("does not do that")));
}

// Without an instance cloudbase-init takes nothing for done, and runs user data at every boot.
TEST(UserData, GivesAVsphereMachineAnInstanceThatChangesWithWhatItIsTold) {
  const UserData data = Make({.platform = Platform::kVsphere});
  ASSERT_TRUE(data.guest_info);
  const std::string metadata = *DecodeBase64(data.guest_info->metadata);
  EXPECT_EQ(metadata, "instance-id: \"" + data.guest_info->instance_id + "\"\n");
  EXPECT_EQ(data.guest_info->instance_id.size(), 36U);
  EXPECT_EQ(Make({.platform = Platform::kVsphere}).guest_info->instance_id, data.guest_info->instance_id);
  EXPECT_NE(Make({.platform = Platform::kVsphere, .generation = 2}).guest_info->instance_id,
            data.guest_info->instance_id);
  EXPECT_THAT(FindingOf(data, "userdata-delivery").message, HasSubstr("--label config-2"));
  for (const Channel& channel : Channels()) {
    if (channel.platform == Platform::kVsphere) continue;
    EXPECT_FALSE(Make({.platform = channel.platform}).guest_info) << channel.name;
  }
}

// One message of VMware Tools has 64 KiB.
TEST(UserData, WarnsOfAValueThatVmwareToolsMayNotPass) {
  UserDataOptions options{.platform = Platform::kVsphere};
  EXPECT_THAT(CodesOf(Make(options).findings), Not(testing::Contains("guestinfo-size")));
  std::string noise = "#";
  for (std::uint32_t i = 0, value = 1; i < 70000; ++i) {
    value = value * 1664525U + 1013904223U;
    noise += static_cast<char>('!' + (value >> 24U) % 94);
  }
  options.foreign = ForeignUserData{noise + "\n"};
  const UserData data = Make(options);
  ASSERT_GT(data.bytes.size(), 65536U);
  EXPECT_THAT(FindingOf(data, "guestinfo-size").message, AllOf(HasSubstr("65,536"), HasSubstr("config-2")));
  options.platform = Platform::kGcp;
  EXPECT_THAT(CodesOf(Make(options).findings), Not(testing::Contains("guestinfo-size")));
}

TEST(UserData, DownloadsAreInTheDataAndTheirCodeOnlyWhereTheyAre) {
  const auto with = PartsOf(Make({.platform = Platform::kAws, .exe = Exe()}).bytes);
  EXPECT_THAT(with.container, AllOf(HasSubstr(R"("exe":"https://example.com/provisioner.exe")"),
                                    HasSubstr(R"("exeSha256":")" + std::string(64, 'a'))));
  EXPECT_THAT(with.script, AllOf(HasSubstr("curl.exe"), HasSubstr("Get-FileHash")));
  const auto without = PartsOf(Make({.platform = Platform::kAws}).bytes);
  EXPECT_THAT(without.script, Not(HasSubstr("curl.exe")));
  EXPECT_THAT(without.container, Not(HasSubstr("exe")));
}

TEST(UserData, CertificatesMayComeFromAUrl) {
  UserDataOptions options{.platform = Platform::kAws};
  options.bundle = Download{"http://example.com/ca.pem", BundleHash()};
  const UserData known = Make(options);
  const std::string container = PartsOf(known.bytes).container;
  EXPECT_THAT(container, AllOf(HasSubstr(R"("bundle":"http://example.com/ca.pem")"), HasSubstr(R"("stores":"RRC")"),
                               Not(HasSubstr(R"("kind":"certificate")"))));
}

TEST(UserData, ABundleThatIsNotThatOfTheSourceIsRefused) {
  UserDataOptions options{.platform = Platform::kAws};
  options.bundle = Download{"http://example.com/ca.pem?sig=t0ken", std::string(64, 'b')};
  const Error other =
      ErrorIn(MakeUserData(SampleConfig(), *reconcile::MakeDesiredState(SampleConfig(), Choices()), options));
  EXPECT_EQ(other.code, Code::kHashMismatch);
  EXPECT_EQ(other.where, "http://example.com/ca.pem");
  EXPECT_THAT(other.message, AllOf(HasSubstr("trust/bundle.pem"), HasSubstr(BundleHash())));
}

// ---- another script

TEST(UserData, RunsBeforeTheOtherScriptWhichStaysAsItIs) {
  for (const Platform platform :
       {Platform::kAws, Platform::kAzure, Platform::kGcp, Platform::kNone, Platform::kOpenstack}) {
    UserDataOptions options{.platform = platform};
    options.foreign = Operators();
    const std::string script = ScriptOf(Make(options).bytes);
    const std::size_t theirs = script.find(options.foreign->script);
    ASSERT_NE(theirs, std::string::npos);
    EXPECT_LT(script.find("ProvisionerUserData"), theirs);
    EXPECT_THAT(script, Not(HasSubstr("exit $LASTEXITCODE"))) << "the other script would not run";
  }
  UserDataOptions options{.platform = Platform::kAws};
  options.foreign = Operators();
  const std::string tagged = Make(options).bytes;
  EXPECT_EQ(tagged.find("<powershell>"), tagged.rfind("<powershell>"));
  EXPECT_EQ(tagged.find("</powershell>"), tagged.rfind("</powershell>"));
  EXPECT_THAT(tagged, EndsWith("</powershell>\n<persist>true</persist>"));
}

// Nobody can reach the node before the other script has set up sshd, so it does not wait for the program; and as that
// script may end early, nothing of ours is behind it.
TEST(UserData, LeavesTheProgramToATaskWhereAnotherScriptWaits) {
  UserDataOptions options{.platform = Platform::kAws, .exe = Exe()};
  EXPECT_THAT(PartsOf(Make(options).bytes).container, Not(HasSubstr(R"("later")")));
  EXPECT_THAT(PartsOf(Make(options).bytes).script, Not(HasSubstr("schtasks.exe")));
  options.foreign = Operators();
  const UserData data = Make(options);
  const auto parts = PartsOf(ScriptOf(data.bytes));
  EXPECT_THAT(parts.container, HasSubstr(R"("later":true)"));
  EXPECT_THAT(parts.script, HasSubstr("schtasks.exe"));
  EXPECT_THAT(parts.outside, EndsWith(options.foreign->script));
  EXPECT_THAT(CodesOf(data.findings), testing::Contains("userdata-task"));
}

// Nobody runs it again there, so a download that failed would be the end.
TEST(UserData, LeavesAFailedDownloadToATaskWhereItRunsOnce) {
  for (const Channel& channel : Channels()) {
    SCOPED_TRACE(channel.name);
    UserDataOptions options{.platform = channel.platform, .exe = Exe()};
    const UserData data = Make(options);
    const auto parts = PartsOf(ScriptOf(data.bytes));
    EXPECT_THAT(parts.container, Not(HasSubstr(R"("later")"))) << "nobody waits: it is tried at once";
    const bool task = !channel.again;
    EXPECT_EQ(parts.script.find("schtasks.exe") != std::string::npos, task);
    EXPECT_EQ(testing::Value(CodesOf(data.findings), testing::Contains("userdata-task")), task);
    options.exe.reset();
    EXPECT_THAT(PartsOf(ScriptOf(Make(options).bytes)).script, Not(HasSubstr("schtasks.exe"))) << "nothing to download";
  }
}

// cloudbase-init takes user data for done unless the exit code is one of its own.
TEST(UserData, AsksCloudbaseInitForAnotherBootWhereThatMayHelp) {
  constexpr std::string_view kAgain = "exit ($LASTEXITCODE,1002)[$LASTEXITCODE -in 13..15]\n";
  constexpr std::string_view kPlain = "exit $LASTEXITCODE\n";
  for (const Form& form : AllForms()) {
    SCOPED_TRACE(form.name);
    const bool cloudbase = ChannelOf(form.options.platform).cloudbase;
    EXPECT_THAT(ScriptOf(Make(form.options).bytes), EndsWith(std::string(cloudbase ? kAgain : kPlain)));
  }
}

TEST(UserData, SaysWhatAFetchedBundleIsKnownBy) {
  const auto told = [](const char* url) {
    UserDataOptions options{.platform = Platform::kAws};
    options.bundle = Download{url, BundleHash()};
    return FindingOf(Make(options), "ca-transport-tls");
  };
  const Finding https = told("https://example.com/ca.pem");
  EXPECT_EQ(https.severity, Severity::kInfo);
  EXPECT_THAT(https.message, AllOf(HasSubstr("without knowing the server"), HasSubstr("SHA-256 keeps any other"),
                                   HasSubstr("does not keep the requested URL secret")));
  const Finding token = told("HTTPS://example.com/ca.pem?sig=t0ken");
  EXPECT_EQ(token.severity, Severity::kWarning);
  EXPECT_THAT(token.message, HasSubstr("behind a proxy that intercepts TLS the download fails"));
  EXPECT_EQ(token.where, "HTTPS://example.com/ca.pem");
  EXPECT_THAT(told("http://example.com/ca.pem").message, HasSubstr("without TLS"));
  EXPECT_THAT(CodesOf(Make({.platform = Platform::kAws}).findings), Not(testing::Contains("ca-transport-tls")));
}

// Windows logs a whole script for one of certain words in it. The outer script holds the data; that of the inner one
// lie beside it.
TEST(UserData, TheScriptWithTheDataHasNoWordForWhichWindowsLogsIt) {
  for (const Channel& channel : Channels()) {
    UserDataOptions options{.platform = channel.platform, .exe = Exe()};
    options.bundle = Download{"https://example.com/ca.pem", BundleHash()};
    const std::string script = ScriptOf(Make(options).bytes);
    EXPECT_THAT(testing_support::LoggedWords(script), testing::IsEmpty()) << channel.name;
    const auto parts = PartsOf(script);
    const std::string inner = parts.script + parts.apply;
    EXPECT_THAT(testing_support::LoggedWords(inner),
                testing::ElementsAre("Bypass", "Cryptography", "FromBase64String", "Properties", "ToBase64String"))
        << channel.name << ": constant text, but the fewer the better";
    EXPECT_THAT(inner, Not(HasSubstr("example.com")));
  }
}

// What stands on a command line can be seen by every user of the machine.
TEST(UserData, GivesUrlsToCurlByAFile) {
  UserDataOptions options{.platform = Platform::kAws, .exe = Exe()};
  options.bundle = Download{"https://example.com/ca.pem", BundleHash()};
  const std::string script = PartsOf(Make(options).bytes).script;
  const std::size_t at = script.find("\\curl.exe\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(script.find("\\curl.exe\"", at + 1), std::string::npos) << "one place";
  EXPECT_THAT(script.substr(at, script.find('\n', at) - at), EndsWith("\\url\""));
  EXPECT_THAT(script.substr(0, at), HasSubstr("\"url=$"));
}

TEST(UserData, ShowsNoQueryOfAUrlAndKeepsIt) {
  UserDataOptions options{.platform = Platform::kAws};
  options.exe = Download{"https://example.com/x.exe?sig=t0ken", std::string(64, 'a')};
  options.bundle = Download{"https://example.com/ca.pem?sig=t0ken", BundleHash()};
  const UserData data = Make(options, Choices(reconcile::CredentialPolicy::kNone));
  EXPECT_TRUE(data.secret);
  EXPECT_THAT(FindingOf(data, "userdata-url").message, HasSubstr(std::string(ChannelOf(Platform::kAws).readers)));
  for (const Finding& finding : data.findings) EXPECT_THAT(finding.message + finding.where, Not(HasSubstr("t0ken")));
  EXPECT_THAT(PartsOf(data.bytes).container, HasSubstr("sig=t0ken"));
}

// Nobody renews the copy: at each use of it that is said, with what to do.
TEST(UserData, SaysThatTheOtherScriptIsACopy) {
  UserDataOptions options{.platform = Platform::kAws};
  EXPECT_THAT(CodesOf(Make(options).findings), Not(testing::Contains("append-stale")));
  options.foreign = Operators();
  options.foreign->of_operators_secret = true;
  EXPECT_THAT(FindingOf(Make(options), "append-stale").message,
              AllOf(HasSubstr("cloud-private-key"), HasSubstr("bake again"),
                    HasSubstr("provisioner check --secret OURS --append-to OPERATORS")));
  options.foreign = ReadForeignUserData("Restart-Service containerd\n", "mine").value();
  EXPECT_THAT(CodesOf(Make(options).findings), Not(testing::Contains("append-stale"))) << "no operator changes it";
}

// The operator's daemon fails on machine variables that are set, and deletes machines that it can't reach.
TEST(UserData, TheOperatorsScriptGoesWithItsOption) {
  UserDataOptions options{.platform = Platform::kAws};
  options.foreign = Operators();
  EXPECT_THAT(CodesOf(Make(options).findings), Not(testing::Contains("append-wmco")));
  options.wmco = true;
  const Error refused =
      ErrorIn(MakeUserData(SampleConfig(), *reconcile::MakeDesiredState(SampleConfig(), Choices()), options));
  EXPECT_EQ(refused.code, Code::kKind);
  EXPECT_THAT(refused.message, HasSubstr("administrators_authorized_keys"));
  options.foreign->script += "echo x | Out-File administrators_authorized_keys\n";
  EXPECT_THAT(CodesOf(Make(options).findings), Not(testing::Contains("append-wmco")));
  options.wmco = false;
  EXPECT_EQ(FindingOf(Make(options), "append-wmco").severity, Severity::kWarning);
}

ForeignUserData Downloading() {
  return {"Invoke-WebRequest -Uri https://s3.amazonaws.com/a.msi -OutFile a.msi\n", true};
}

// PowerShell's downloads follow WinINET; only their own process can send them to the proxy.
TEST(UserData, SendsTheDownloadsOfTheOtherScriptToTheProxy) {
  constexpr std::string_view kWeb = "[Net.WebRequest]::DefaultWebProxy=";
  constexpr std::string_view kAccount = "[Net.NetworkCredential]";
  UserDataOptions options{.platform = Platform::kAws};
  options.foreign = Operators();
  EXPECT_THAT(Make(options).bytes, Not(HasSubstr(kWeb))) << "it downloads nothing so";
  options.foreign = Downloading();
  const std::string script = ScriptOf(Make(options).bytes);
  EXPECT_THAT(script, AllOf(HasSubstr(kWeb), HasSubstr(kAccount)));
  EXPECT_LT(script.find("-First 1"), script.find("run.ps1\"\n")) << "the data are gone then";
  EXPECT_LT(script.find(kWeb), script.find(options.foreign->script));
  EXPECT_THAT(testing_support::LoggedWords(script), testing::IsEmpty());
  EXPECT_THAT(CodesOf(Make(options).findings), Not(testing::Contains("append-download")));
  const std::string without = Make(options, Choices(reconcile::CredentialPolicy::kNone)).bytes;
  EXPECT_THAT(without, AllOf(HasSubstr(kWeb), Not(HasSubstr(kAccount))));
}

TEST(UserData, SaysWhereTheDownloadsOfTheOtherScriptCanNotFindTheProxy) {
  const auto make = [](const egress::EgressConfig& config, const UserDataOptions& options) {
    return *MakeUserData(config, *reconcile::MakeDesiredState(config, Choices()), options);
  };
  UserDataOptions options{.platform = Platform::kAws};
  options.foreign = Downloading();
  egress::EgressConfig config = SampleConfig();
  config.https_proxy = Secret("https://proxy.example.com:3129");
  EXPECT_THAT(FindingOf(make(config, options), "append-download").message, HasSubstr("reached by TLS"));
  config.https_proxy.reset();
  EXPECT_THAT(CodesOf(make(config, options).findings), Not(testing::Contains("append-download")));
  // What has no room goes, and it is said; nothing is refused for it.
  config = SampleConfig();
  options.full = false;
  const std::size_t limit = ChannelOf(Platform::kAws).limit;
  options.foreign->script.insert(0, "#" + std::string(limit - make(config, options).bytes.size() - 2, 'x') + "\n");
  EXPECT_EQ(make(config, options).bytes.size(), limit);
  EXPECT_THAT(make(config, options).bytes, HasSubstr("DefaultWebProxy"));
  options.foreign->script.insert(1, "x");
  const UserData full = make(config, options);
  EXPECT_LT(full.bytes.size(), limit);
  EXPECT_THAT(full.bytes, Not(HasSubstr("DefaultWebProxy")));
  EXPECT_THAT(FindingOf(full, "append-download").message, HasSubstr("--ca-transport makes room"));
}

TEST(UserData, OtherScriptDecidesWhetherItRunsAgain) {
  UserDataOptions options{.platform = Platform::kAws};
  options.foreign = *ReadForeignUserData("<powershell>'once'\n</powershell>", "x");
  EXPECT_THAT(Make(options).bytes, AllOf(EndsWith("'once'\n</powershell>"), Not(HasSubstr("persist"))));
}

// ---- sizes

egress::EgressConfig WithAuthorities(int count) {
  egress::EgressConfig config = SampleConfig();
  config.certificates.clear();
  for (int i = 0; i < count; ++i) {
    const auto made = test::MakeRoot("corporate authority " + std::to_string(i), "rsa2048#" + std::to_string(i));
    config.certificates.push_back(*pki::ParseCertificate(made.der, "made"));
  }
  return config;
}

TEST(UserData, ThreeAuthoritiesFitAwsBesideTheOperatorsScript) {
  const egress::EgressConfig config = WithAuthorities(3);
  reconcile::DesiredOptions choices;
  choices.services = {"containerd", "kubelet"};
  const auto state = *reconcile::MakeDesiredState(config, choices);
  UserDataOptions options{.platform = Platform::kAws};
  options.foreign = Operators();
  const auto data = Must(MakeUserData(config, state, options));
  RecordProperty("bytes", static_cast<int>(data.bytes.size()));
  options.exe = Exe();
  const auto with_exe = Must(MakeUserData(config, state, options));
  RecordProperty("bytes_with_exe_url", static_cast<int>(with_exe.bytes.size()));
}

TEST(UserData, TooMuchIsRefusedWithTheNumbers) {
  const egress::EgressConfig config = WithAuthorities(8);
  const auto state = *reconcile::MakeDesiredState(config, {});
  UserDataOptions options{.platform = Platform::kAws};
  options.foreign = *ReadForeignUserData(OperatorsUserData(7000), "operator");
  const Error data = ErrorIn(MakeUserData(config, state, options));
  EXPECT_EQ(data.code, Code::kSizeLimit);
  EXPECT_THAT(data.message, AllOf(HasSubstr("more than the 16,384 that AWS takes"), HasSubstr("8 certificate(s) are "),
                                  HasSubstr("--ca-transport URL#sha256="), HasSubstr("nothing was left out")));
  options.platform = Platform::kAzure;
  EXPECT_TRUE(MakeUserData(config, state, options));
  options.platform = Platform::kAws;
  options.bundle = Download{"http://example.com/ca.pem", BundleHash(state)};
  EXPECT_TRUE(MakeUserData(config, state, options));
}

// The limit is of the finished bytes: exactly it is taken, one more is not.
TEST(UserData, LimitIsExact) {
  const auto state = *reconcile::MakeDesiredState(SampleConfig(), Choices());
  for (const Platform platform : {Platform::kAws, Platform::kAzure, Platform::kGcp, Platform::kOpenstack}) {
    UserDataOptions options{.platform = platform, .full = false};
    options.foreign = ForeignUserData{"#\n"};
    const std::size_t limit = ChannelOf(platform).limit;
    const std::size_t missing = limit - MakeUserData(SampleConfig(), state, options)->bytes.size();
    options.foreign->script.insert(1, std::string(missing, 'x'));
    EXPECT_EQ(MakeUserData(SampleConfig(), state, options)->bytes.size(), limit);
    options.foreign->script.insert(1, "x");
    EXPECT_THAT(MakeUserData(SampleConfig(), state, options).error().message, HasSubstr(" bytes, 1 more than the "));
  }
}

// ---- the Secret

TEST(UserDataSecret, HoldsTheBytes) {
  const UserData data = Make({.platform = Platform::kAws});
  EXPECT_EQ(*UserDataSecret("windows-user-data-egress", data),
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: \"windows-user-data-egress\"\n"
            "  namespace: openshift-machine-api\ntype: Opaque\ndata:\n  userData: " +
                EncodeBase64(data.bytes) + "\n");
}

// OpenStack's provider takes user data for a template of Go's unless the Secret says that it is none.
TEST(UserDataSecret, SaysToOpenstackThatItIsNoTemplate) {
  const UserDataOptions options{.platform = Platform::kOpenstack};
  EXPECT_THAT(*UserDataSecret("a", Make(options), options),
              HasSubstr("\ndata:\n  disableTemplating: dHJ1ZQ==\n  userData: "));
  const UserDataOptions other{.platform = Platform::kNutanix};
  EXPECT_THAT(*UserDataSecret("a", Make(other), other), Not(HasSubstr("disableTemplating")));
}

TEST(UserDataSecret, IsRefusedWhereNothingReadsIt) {
  for (const Channel& channel : Channels()) {
    const bool machine_api = channel.platform != Platform::kNone && channel.platform != Platform::kVsphere;
    EXPECT_EQ(CheckSecretPlatform(SecretForm::kMachineApi, channel.platform).has_value(), machine_api) << channel.name;
    EXPECT_EQ(CheckSecretPlatform(SecretForm::kClusterApi, channel.platform).has_value(),
              channel.platform != Platform::kNone)
        << channel.name;
  }
  const auto refused = CheckSecretPlatform(SecretForm::kMachineApi, Platform::kVsphere);
  EXPECT_EQ(refused.error().code, Code::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("guestinfo.ignition.config.data"));
}

// The Cluster API: one key, no namespace of ours, and what cloudbase-init runs on each platform.
TEST(UserDataSecret, OfTheClusterApiHoldsWhatCloudbaseInitRuns) {
  for (const Channel& channel : Channels()) {
    if (channel.platform == Platform::kNone) continue;
    SCOPED_TRACE(channel.name);
    const UserDataOptions options{.platform = channel.platform, .secret_form = SecretForm::kClusterApi};
    const UserData data = Make(options);
    EXPECT_THAT(data.bytes, StartsWith(channel.platform == Platform::kAws ? "<powershell>\n" : "#ps1_sysnative\n"));
    EXPECT_THAT(ScriptOf(data.bytes), HasSubstr("($LASTEXITCODE,1002)"));
    EXPECT_FALSE(data.guest_info);
    EXPECT_EQ(*UserDataSecret("windows", data, options),
              "apiVersion: v1\nkind: Secret\nmetadata:\n  name: \"windows\"\ntype: cluster.x-k8s.io/secret\ndata:\n  "
              "value: " +
                  EncodeBase64(data.bytes) + "\n");
    EXPECT_THAT(FindingOf(data, "userdata-delivery").message, HasSubstr("spec.bootstrap.dataSecretName"));
    EXPECT_THAT(FindingOf(data, "userdata-credentials").message, Not(HasSubstr("openshift-machine-api")));
  }
  // cloudbase-init runs tagged text once, whatever it says of persistence.
  const UserDataOptions aws{.platform = Platform::kAws, .exe = Exe(), .secret_form = SecretForm::kClusterApi};
  EXPECT_THAT(PartsOf(ScriptOf(Make(aws).bytes)).script, HasSubstr("schtasks.exe"));
}

TEST(UserDataSecret, RefusesTheOperatorsAndNamesThatAreNone) {
  const auto reserved = UserDataSecret("windows-user-data", {});
  EXPECT_EQ(reserved.error().code, Code::kReservedName);
  EXPECT_THAT(reserved.error().message, HasSubstr("replaces every Windows machine"));
  const auto linux_workers = CheckSecretName("worker-user-data");
  EXPECT_EQ(linux_workers.error().code, Code::kReservedName);
  EXPECT_THAT(linux_workers.error().message, HasSubstr("machines that are not Windows boot"));
  for (const char* name : {"", "A", "a_b", "-a", "a-", "a..b", "a b", "a\nb", "a\"b"}) {
    EXPECT_EQ(CheckSecretName(name).error().code, Code::kUsage) << name;
  }
  EXPECT_FALSE(CheckSecretName(std::string(254, 'a')));
  EXPECT_TRUE(CheckSecretName("a.b-1"));
}

}  // namespace
}  // namespace prov::userdata
