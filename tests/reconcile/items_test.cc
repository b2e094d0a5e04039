// Encodings and merge rules of the items.
#include "provisioner/reconcile/items.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "provisioner/base/text.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "tests/support/paths.h"
#include "tests/support/sample.h"

namespace prov::reconcile {
namespace {

using namespace std::string_literals;

const std::string kShared = testing_support::TestsFolder() + "/../../shared/cases/windows";

TEST(Environment, IsRegSzWithItsTerminator) {
  const images::RegValue value = EncodeVariable({"A", Secret("%b")});
  EXPECT_EQ(value.type, images::RegType::kSz) << "never REG_EXPAND_SZ: a password's %40 would be expanded";
  EXPECT_EQ(value.data, "%\0b\0\0\0"s);
}

TEST(Environment, LengthLimitOfWindows) {
  EXPECT_TRUE(CheckLength({"NO_PROXY", Secret(std::string(32767 - 10, 'x'))}));
  const auto over = CheckLength({"NO_PROXY", Secret(std::string(32767 - 9, 'x'))});
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Code::kSizeLimit);
  EXPECT_EQ(over.error().where, "NO_PROXY");
}

TEST(Environment, IsShownWithoutPasswords) {
  EXPECT_EQ(ShowVariable("HTTPS_PROXY", "http://u:secret@proxy:1"), "http://u:***@proxy:1");
  EXPECT_EQ(ShowVariable("NO_PROXY", ".svc,fd00::/8,a:80"), ".svc,fd00::/8,a:80");
  EXPECT_EQ(ShowVariable("no_proxy", ".svc,http://u:secret@proxy:1"), ".svc,http://u:***@proxy:1");
}

TEST(ServiceEnvironment, IsMultiSz) {
  const images::RegValue value = EncodeServiceEnvironment({"A=1", "B"});
  EXPECT_EQ(value.name, "Environment");
  EXPECT_EQ(value.type, images::RegType::kMultiSz);
  EXPECT_EQ(ToHex(value.data), "41003d0031000000420000000000");
  EXPECT_EQ(EncodeServiceEnvironment({}).data, "\0\0"s);
}

TEST(WinHttp, TheDocumentedBytes) {
  EXPECT_EQ(ToHex(EncodeWinHttp({})), "1800000000000000010000000000000000000000") << "direct, as KB 4494447 prints it";
  EXPECT_EQ(ToHex(EncodeWinHttp({.version = WinHttpVersion::k28, .proxy = {"a:42", "*.42"}})),
            "28000000000000000300000004000000613a3432040000002a2e3432");
  EXPECT_EQ(EncodeWinHttp({.proxy = {"proxy.example.com:3128", "<local>;*.cluster.local;*.svc;10.*"}}).size(), 76U);
}

TEST(WinHttp, DecodesWhatItEncodesAndRefusesTheRest) {
  const WinHttpSettings settings{WinHttpVersion::k28, 7, 3, {"p:1", "*.svc"}};
  EXPECT_EQ(DecodeWinHttp(EncodeWinHttp(settings)), settings);
  const std::string bytes = EncodeWinHttp(settings);
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(DecodeWinHttp(bytes.substr(0, n))) << n;
  EXPECT_FALSE(DecodeWinHttp("\x46"s + bytes.substr(1))) << "WinINET's header";
}

TEST(WinHttp, EqualsTheSharedSamples) {
  if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "SKIPPED: the shared sample folder is not here: " << kShared;
  const auto sample = [&](const char* name) { return testing_support::ReadAll(kShared + "/winhttp/" + name); };
  EXPECT_EQ(EncodeWinHttp({}), sample("direct-18.bin"));
  EXPECT_EQ(EncodeWinHttp({.version = WinHttpVersion::k28, .proxy = {}}), sample("direct-28.bin"));
  for (const char* name : {"proxy-18.bin", "proxy-28.bin", "proxy-nobypass-18.bin", "perproto-18.bin",
                           "real-nanoserver-a42.bin", "wine-set-named.bin"}) {
    const auto settings = DecodeWinHttp(sample(name));
    ASSERT_TRUE(settings) << name;
    EXPECT_EQ(EncodeWinHttp(*settings), sample(name)) << name;
  }
  EXPECT_EQ(EncodeWinHttp({.proxy = {"proxy.example.com:3128", "<local>;*.cluster.local;*.svc;10.*"}}),
            sample("proxy-18.bin"));
}

}  // namespace
}  // namespace prov::reconcile
