#include "provisioner/registries/image_reference.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>

#include "tests/differential/seed.h"
#include "tests/support/amount.h"
#include "tests/support/result.h"

namespace prov::registries {
namespace {

using differential::Random;
using testing::HasSubstr;
using testing::Not;

const std::string kSha256 = "sha256:" + std::string(64, 'a');
const std::string kSha512 = "sha512:" + std::string(128, '0');

std::string FullName(std::string_view text) {
  const auto read = ParseImageReference(text, "--image");
  return read ? read->Text() : "refused: " + read.error().message;
}
Error ReferenceError(std::string_view text) { return ErrorIn(ParseImageReference(text, "--image")); }

TEST(ImageReference, IsCompletedAsDockersAre) {
  const std::pair<std::string, std::string> kCases[] = {
      {"nginx", "docker.io/library/nginx:latest"},
      {"nginx:1.27", "docker.io/library/nginx:1.27"},
      {"org/app", "docker.io/org/app:latest"},
      {"org/team/app:v1", "docker.io/org/team/app:v1"},
      {"docker.io/nginx", "docker.io/library/nginx:latest"},
      {"index.docker.io/nginx", "docker.io/library/nginx:latest"},
      {"index.docker.io/org/app", "docker.io/org/app:latest"},
      {"registry-1.docker.io/library/nginx", "registry-1.docker.io/library/nginx:latest"},
      {"quay.io/app", "quay.io/app:latest"},
      {"quay.io/org/app:V1_x.2-b", "quay.io/org/app:V1_x.2-b"},
      {"localhost/app", "localhost/app:latest"},
      {"localhost:5000/app", "localhost:5000/app:latest"},
      {"host:5000/app:v1", "host:5000/app:v1"},
      {"host:5000/app@" + kSha256, "host:5000/app@" + kSha256},
      {"10.0.0.1/app", "10.0.0.1/app:latest"},
      {"[2001:db8::1]:5000/app", "[2001:db8::1]:5000/app:latest"},
      {"[::1]/app", "[::1]/app:latest"},
      {"Registry/app", "Registry/app:latest"},
      {"MCR.microsoft.com/windows/nanoserver:ltsc2022", "MCR.microsoft.com/windows/nanoserver:ltsc2022"},
      {"a_b.example/app", "a_b.example/app:latest"},
      {"app@" + kSha512, "docker.io/library/app@" + kSha512},
      {"app:v1@" + kSha256, "docker.io/library/app:v1@" + kSha256},
      {"quay.io/a.b_c__d---e/f", "quay.io/a.b_c__d---e/f:latest"},
      {"sha256:" + std::string(64, 'b'), "docker.io/library/sha256:" + std::string(64, 'b')},
  };
  for (const auto& [text, full] : kCases) EXPECT_EQ(FullName(text), full) << text;
}

TEST(ImageReference, KeepsItsParts) {
  const auto read = Must(ParseImageReference("host:5000/org/app:v1@" + kSha256, "--image"));
  EXPECT_EQ(read.registry, "host:5000");
  EXPECT_EQ(read.repository, "org/app");
  EXPECT_EQ(read.tag, "v1");
  EXPECT_EQ(read.digest, kSha256);
  EXPECT_TRUE(read.by_digest());
  EXPECT_EQ(read.Object(), kSha256);
  EXPECT_EQ(read.Repository(), "host:5000/org/app");
}

TEST(ImageReference, WhatContainerdRefusesIsRefusedWithTheReason) {
  const std::pair<std::string, std::string> kCases[] = {
      {"", "is empty"},
      {"https://quay.io/org/app", "is a URL"},
      {"docker://quay.io/org/app", "is a URL"},
      {"quay.io/org/app:v1 ", "blanks"},
      {"quay.io/org/\xC3\xBC", "characters that a reference can't have"},
      {std::string(64, 'a'), "is the ID of an image"},
      {"quay.io/Org/App", "write 'org/app'"},
      {"Nginx", "write 'library/nginx'"},
      {"quay.io/", "no repository"},
      {"quay.io/org/", "invalid part of its repository, ''"},
      {"quay.io//app", "invalid part"},
      {"quay.io/-app", "'-app'"},
      {"quay.io/a..b", "'a..b'"},
      {"quay.io/a___b", "'a___b'"},
      {"quay.io/a._b", "'a._b'"},
      {"quay.io/app:", "invalid tag, ''"},
      {"quay.io/app:.v1", "invalid tag"},
      {"quay.io/app:v1:v2", "invalid tag"},
      {"quay.io/app:" + std::string(129, 'a'), "invalid tag"},
      {"host:port/app", "invalid registry, 'host:port'"},
      {"host:/app", "invalid registry"},
      {"-host.example/app", "invalid registry"},
      {"a_b:5000/app", "invalid registry"},
      {"[::1/app", "invalid registry"},
      {"quay.io/app@sha256:abc", "64 lower-case"},
      {"quay.io/app@sha256:" + std::string(64, 'A'), "64 lower-case"},
      {"quay.io/app@sha512:" + std::string(64, 'a'), "128 lower-case"},
      {"quay.io/app@md5:" + std::string(32, 'a'), "unknown kind"},
      {"quay.io/app@", "unknown kind"},
      {"quay.io/" + std::string(256, 'a'), "more than 255"},
      {std::string(3000, 'a'), "too long"},
  };
  for (const auto& [text, why] : kCases) {
    const Error error = ReferenceError(text);
    EXPECT_EQ(error.code, Code::kImageReference) << text;
    EXPECT_EQ(error.where, "--image");
    EXPECT_THAT(error.message, HasSubstr(why)) << text;
  }
}

TEST(ImageReference, APasswordIsNotQuoted) {
  for (const char* text : {"user:s3cret@host.example/app", "https://user:s3cret@host.example/app", "u:s3cret@h:5/App"})
    EXPECT_THAT(ReferenceError(text).message, Not(HasSubstr("s3cret"))) << text;
}

// The grammar of distribution/reference, as regular expressions: a second opinion.
bool GrammarAccepts(const std::string& text) {
  static const std::string kComponent = "[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*";
  static const std::string kLabel = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
  static const std::string kDomain = "(?:" + kLabel + "(?:\\." + kLabel + ")*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?";
  static const std::regex kReference("(?:" + kDomain + "/)?(" + kComponent + "(?:/" + kComponent +
                                     ")*)(?::\\w[\\w.-]{0,127})?(?:@(.*))?");
  static const std::regex kDigest("sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}");
  static const std::regex kId("[a-f0-9]{64}");
  if (std::regex_match(text, kId)) return false;
  std::string domain = "docker.io";
  std::string rest = text;
  if (const std::size_t slash = text.find('/'); slash != std::string::npos) {
    const std::string first = text.substr(0, slash);
    const bool upper = first.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
    if (first == "localhost" || first.find_first_of(".:") != std::string::npos || upper) {
      domain = first;
      rest = text.substr(slash + 1);
    }
  }
  if (domain == "index.docker.io") domain = "docker.io";
  if (domain == "docker.io" && rest.find('/') == std::string::npos) rest.insert(0, "library/");
  const std::string whole = domain + "/" + rest;
  std::smatch match;
  if (!std::regex_match(whole, match, kReference)) return false;
  return !match[2].matched || std::regex_match(match[2].str(), kDigest);
}

std::string RandomReference(Random& random) {
  constexpr std::array<std::string_view, 24> kPieces = {
      "a", "b1", "Org", "quay.io", "localhost",       "host", "docker.io", "x",    ".",
      "_", "__", "-",   "--",      "[::1]",           "80",   "@",         "v1.0", ":",
      ":", "/",  "/",   "/",       "index.docker.io", ".."};
  std::string out;
  for (std::size_t left = 1 + random.Below(9); left > 0; --left) out += random.Pick(kPieces);
  if (random.OneIn(4)) out += "@" + (random.OneIn(2) ? kSha256 : kSha512);
  return out;
}

TEST(ImageReference, RandomTextsAreReadAsTheGrammarSays) {
  Random random(differential::Seed("ImageReferenceGrammar"));
  std::size_t accepted = 0;
  for (std::uint32_t i = testing_support::Amount(20000); i > 0; --i) {
    const std::string text = RandomReference(random);
    const auto read = ParseImageReference(text, "--image");
    ASSERT_EQ(read.has_value(), GrammarAccepts(text)) << text << (read ? "" : ": " + read.error().message);
    if (!read) continue;
    ++accepted;
    const auto again = ParseImageReference(read->Text(), "--image");
    ASSERT_TRUE(again) << text << " became " << read->Text();
    EXPECT_EQ(again->Text(), read->Text());
    EXPECT_EQ(again->registry, read->registry);
    EXPECT_EQ(again->Object(), read->Object());
  }
  EXPECT_GT(accepted, testing_support::Amount(1000));
}

}  // namespace
}  // namespace prov::registries
