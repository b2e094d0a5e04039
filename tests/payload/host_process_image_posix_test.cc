// The image as a document; other programs read it in tests/e2e/oci_e2e.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/host_process_image.h"
#include "tests/support/hive_reader.h"
#include "tests/support/json_text.h"
#include "tests/support/program_file.h"

namespace prov::payload {
namespace {

using testing::ElementsAre;
using testing_support::ParsedJson;

constexpr std::int64_t kTime = 1700000000;

HostProcessImage Image(const testing_support::FakeProgram& program = {}) {
  return MakeHostProcessImage(ReadProgramFile(testing_support::MakeProgram(program), "exe").value(), kTime).value();
}

const ImageFile& ImageFileOf(const HostProcessImage& image, const std::string& path) {
  return *std::ranges::find(image.files, path, &ImageFile::path);
}

// The blob that a descriptor names.
std::string BlobOf(const HostProcessImage& image, const rapidjson::Value& descriptor) {
  const std::string digest = descriptor["digest"].GetString();
  const ImageFile& file = ImageFileOf(image, "blobs/sha256/" + digest.substr(digest.find(':') + 1));
  EXPECT_EQ(digest, "sha256:" + ToHex(Sha256(file.bytes)));
  EXPECT_EQ(descriptor["size"].GetUint64(), file.bytes.size());
  return file.bytes;
}

TEST(HostProcessImage, ItsDocumentsNameEachOther) {
  const HostProcessImage image = Image();
  ASSERT_EQ(image.files.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(image.files, {}, &ImageFile::path)) << "as an archive wants them";
  const auto index = ParsedJson(ImageFileOf(image, "index.json").bytes);
  ASSERT_EQ(index["manifests"].Size(), 1U) << "one for all builds of Windows";
  EXPECT_EQ(image.digest, index["manifests"][0]["digest"].GetString());
  EXPECT_STREQ(index["manifests"][0]["platform"]["os"].GetString(), "windows");
  const auto manifest = ParsedJson(BlobOf(image, index["manifests"][0]));
  ASSERT_EQ(manifest["layers"].Size(), 1U);
  BlobOf(image, manifest["layers"][0]);
  const auto config = ParsedJson(BlobOf(image, manifest["config"]));
  EXPECT_STREQ(config["os"].GetString(), "windows");
  EXPECT_STREQ(config["architecture"].GetString(), "amd64");
  EXPECT_FALSE(config.HasMember("os.version")) << "with it, other builds would not take the image";
  EXPECT_STREQ(config["created"].GetString(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(config["rootfs"]["diff_ids"].Size(), 1U);
}

TEST(HostProcessImage, TheLayerHasTheProgramAndHivesThatCanBeRead) {
  const HostProcessImage image = Image();
  std::vector<std::string> paths;
  for (const ImageFile& file : image.layer) paths.push_back(file.path);
  EXPECT_THAT(paths, ElementsAre("Windows/System32/config/DEFAULT", "Windows/System32/config/SAM",
                                 "Windows/System32/config/SECURITY", "Windows/System32/config/SOFTWARE",
                                 "Windows/System32/config/SYSTEM", "provisioner.exe"));
  for (const ImageFile& file : image.layer) {
    if (file.path == "provisioner.exe") continue;
    const auto hive = images::ReadHive(file.bytes);
    ASSERT_TRUE(hive) << file.path;
    EXPECT_TRUE(hive->subkeys.empty()) << file.path;
  }
  EXPECT_EQ(image.layer.back().bytes, testing_support::MakeProgram());
}

TEST(HostProcessImage, IsTheSameForTheSameProgramAndTime) {
  EXPECT_EQ(Image().digest, Image().digest);
  EXPECT_NE(Image().digest, Image({.rest = "more"}).digest);
  const auto program = ReadProgramFile(testing_support::MakeProgram(), "exe");
  EXPECT_NE(Image().digest, MakeHostProcessImage(program.value(), kTime + 1)->digest);
}

TEST(HostProcessImage, NamesArchitecturesAsImagesDo) {
  EXPECT_EQ(Image({.machine = 0x8664}).architecture, "amd64");
  EXPECT_EQ(Image({.machine = 0xAA64}).architecture, "arm64");
  EXPECT_EQ(Image({.machine = 0x14C}).architecture, "386");
}

}  // namespace
}  // namespace prov::payload
