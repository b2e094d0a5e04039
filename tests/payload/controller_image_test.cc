// The image of the controller as documents; tests/e2e/oci_e2e.py runs what is in it.
#include "provisioner/payload/controller_image.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/json_text.h"

namespace prov::payload {
namespace {

constexpr std::int64_t kImageTime = 1700000000;

// A file or, without contents, a folder, as tar writes it.
std::string TarEntry(const std::string& name, const std::string& bytes, char type = '0') {
  std::string out(512, '\0');
  out.replace(0, name.size(), name);
  out.replace(124, 11, fmt::format("{:011o}", bytes.size()));
  out[156] = type;
  out.replace(257, 5, "ustar");
  out += bytes;
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}

const std::string kTarEnd(1024, '\0');

TEST(ControllerImage, FindsAFileInATar) {
  const std::string before = TarEntry("./", "", '5') + TarEntry("./usr/bin/other", std::string(513, 'x')) +
                             TarEntry("usr/bin/provisioner", "", '2');
  const std::string tar = before + TarEntry("./usr/bin/provisioner", "program") + kTarEnd;
  EXPECT_EQ(FileInTar(tar, "usr/bin/provisioner", "t").value(), "program");
  EXPECT_EQ(FileInTar(tar, "usr/bin/provisione", "t").error().code, Code::kNotFound);
  EXPECT_EQ(FileInTar(before + kTarEnd, "usr/bin/provisioner", "t").error().code, Code::kNotFound) << "a link is none";
  EXPECT_EQ(FileInTar("no tar", "a", "t").error().code, Code::kKind);
  EXPECT_EQ(FileInTar(std::string(2000, 'x'), "a", "t").error().code, Code::kKind);
  std::string odd = TarEntry("a", "b") + kTarEnd;
  odd.replace(124, 11, "7777777777x");
  EXPECT_EQ(FileInTar(odd, "z", "t").error().code, Code::kKind);
}

TEST(ControllerImage, EveryTruncationIsRefusedOrEndsTheTar) {
  const std::string tar = TarEntry("a", std::string(600, 'x')) + TarEntry("usr/bin/provisioner", "program") + kTarEnd;
  for (std::size_t size = 0; size < tar.size(); ++size) {
    const auto found = FileInTar(std::string_view(tar).substr(0, size), "usr/bin/provisioner", "t");
    if (found) {
      EXPECT_EQ(*found, "program") << size;
    }
  }
}

TEST(ControllerImage, SaysWhatAClusterAsks) {
  const std::string tree = TarEntry("usr/bin/provisioner", "program") + kTarEnd;
  const auto image = MakeControllerImage(tree, "program", "0.1.0", {{"a", "b"}}, "t", kImageTime);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->digest, MakeControllerImage(tree, "program", "0.1.0", {{"a", "b"}}, "t", kImageTime)->digest);
  bool found = false;
  for (const ImageFile& file : image->files) {
    if (!file.bytes.starts_with("{") || file.bytes.find("\"rootfs\"") == std::string::npos) continue;
    const auto config = testing_support::ParsedJson(file.bytes);
    found = true;
    EXPECT_STREQ(config["os"].GetString(), "linux");
    EXPECT_STREQ(config["config"]["User"].GetString(), "65532:65532") << "a number, or runAsNonRoot can't be checked";
    EXPECT_STREQ(config["config"]["Labels"]["a"].GetString(), "b");
    EXPECT_EQ(config["rootfs"]["diff_ids"][0].GetString(), DigestOf(tree));
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(MakeControllerImage(tree, "another", "0.1.0", {}, "t", kImageTime).error().code, Code::kKind);
}

}  // namespace
}  // namespace prov::payload
