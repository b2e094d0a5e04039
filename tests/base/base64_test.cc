#include "provisioner/base/base64.h"

#include <gtest/gtest.h>

#include <random>

namespace prov {
namespace {

using namespace std::string_literals;

TEST(Base64, KnownPairs) {  // RFC 4648 section 10
  const std::pair<std::string, std::string> pairs[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : pairs) {
    EXPECT_EQ(EncodeBase64(plain), encoded);
    EXPECT_EQ(DecodeBase64(encoded), plain);
  }
}

TEST(Base64, RoundTripOfRandomBytes) {
  const unsigned seed = 20260101;
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    std::string bytes(random() % 300, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes);
  }
}

TEST(Base64, ErrorsNameTheFirstBadByte) {
  const std::pair<std::string, std::size_t> cases[] = {{"Zm9v!m9v", 4}, {"Zm9", 3},  {"Z===", 1},      {"Zg==Zg==", 2},
                                                       {"=", 1},        {"Zm 9", 2}, {"Zm9vYg=\n", 6}, {"A", 1},
                                                       {"Zm-_", 2},     {"====", 0}};
  for (const auto& [text, offset] : cases) {
    const auto decoded = DecodeBase64(text);
    ASSERT_FALSE(decoded.has_value()) << text;
    EXPECT_EQ(decoded.error(), offset) << text;
  }
}

TEST(Base64, NonZeroTrailingBitsAreTolerated) { EXPECT_EQ(DecodeBase64("aGl="), "hi"); }

}  // namespace
}  // namespace prov
