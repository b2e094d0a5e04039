#include "provisioner/registries/hosts_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/finding_codes.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HostsFolderTest : public testing::Test {
 protected:
  void Put(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(scratch_.At(name)).parent_path());
    std::ofstream(scratch_.At(name), std::ios::binary) << text;
  }
  HostsFolder ReadAll() {
    auto read = HostsFolder::Read(scratch_.path().string(), Containerd::k2, findings_);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return read ? *std::move(read) : HostsFolder();
  }
  std::string At(const std::string& name) const { return scratch_.path().string() + "/" + name; }

  testing_support::ScratchFolder scratch_;
  Findings findings_;
};

TEST_F(HostsFolderTest, TheFirstFolderThatIsThereCountsEvenIfItIsEmpty) {
  Put("_default/hosts.toml", "[host.\"https://cache.example\"]\n");
  Put("host_5000_/hosts.toml", "[host.\"https://one.example\"]\n");
  std::filesystem::create_directories(scratch_.At("quay.io"));
  const HostsFolder folder = ReadAll();
  const auto first = [&](const char* registry) {
    const HostsToml* hosts = folder.Find(registry, false);
    return hosts == nullptr || hosts->hosts.empty() ? "" : hosts->hosts[0].url.host;
  };
  EXPECT_EQ(first("host:5000"), "one.example");
  EXPECT_EQ(first("quay.io"), "");
  EXPECT_EQ(first("other.example"), "cache.example");
  EXPECT_THAT(findings_, IsEmpty());
}

TEST_F(HostsFolderTest, WithoutADefaultTheOthersHaveNone) {
  Put("quay.io/hosts.toml", "[host.\"https://m.example\"]\n");
  EXPECT_EQ(ReadAll().Find("other.example", true), nullptr);
}

TEST_F(HostsFolderTest, PathsOfCertificatesAreComplete) {
  Put("quay.io/hosts.toml",
      "ca = \"root.crt\"\n[host.\"https://m.example\"]\nca = [\"/etc/m.crt\", \"C:\\\\k\\\\m.crt\"]\n"
      "client = [[\"c.crt\", \"c.key\"]]\n");
  const HostsFolder folder = ReadAll();
  const HostsToml* hosts = folder.Find("quay.io", true);
  ASSERT_NE(hosts, nullptr);
  EXPECT_THAT(hosts->server.ca, ElementsAre(At("quay.io/root.crt")));
  EXPECT_THAT(hosts->hosts[0].ca, ElementsAre("/etc/m.crt", "C:\\k\\m.crt"));
  EXPECT_THAT(hosts->hosts[0].client, ElementsAre(std::pair(At("quay.io/c.crt"), At("quay.io/c.key"))));
}

TEST_F(HostsFolderTest, WithoutAFileOrWithARefusedOneCertificatesCount) {
  Put("quay.io/a.crt", "");
  Put("quay.io/b.cert", "");
  Put("quay.io/b.key", "");
  Put("broken.example/hosts.toml", "[host");
  Put("broken.example/a.crt", "");
  const HostsFolder folder = ReadAll();
  EXPECT_THAT(folder.Find("quay.io", true)->server.ca, ElementsAre(At("quay.io/a.crt")));
  EXPECT_THAT(folder.Find("quay.io", true)->server.client,
              ElementsAre(std::pair(At("quay.io/b.cert"), At("quay.io/b.key"))));
  EXPECT_THAT(folder.Find("broken.example", true)->server.ca, ElementsAre(At("broken.example/a.crt")));
  EXPECT_THAT(testing_support::SeverityAndCodesOf(findings_), ElementsAre("error hosts-toml"));
  EXPECT_THAT(findings_[0].where, HasSubstr("broken.example/hosts.toml: line 1"));
}

TEST_F(HostsFolderTest, OneFileIsForTheRegistryOfItsFolderElseForAll) {
  const auto read = [&](const std::string& path) {
    const std::vector<std::string> registries = {"quay.io", "host:5000"};
    auto folder =
        HostsFolder::OfFile("[host.\"https://m.example\"]\n", path, registries, true, Containerd::k2, findings_);
    EXPECT_TRUE(folder);
    return std::pair(folder->Find("quay.io", true) != nullptr, folder->Find("host:5000", true) != nullptr);
  };
  EXPECT_EQ(read("certs.d/quay.io/hosts.toml"), std::pair(true, false));
  EXPECT_EQ(read("C:\\certs.d\\host_5000_\\hosts.toml"), std::pair(false, true));
  EXPECT_EQ(read("hosts.toml"), std::pair(true, true));
  EXPECT_EQ(read("/tmp/tmp.x/hosts.toml"), std::pair(true, true));
}

TEST_F(HostsFolderTest, RootsAreReadOrContainerdDoesNotPull) {
  Endpoint endpoint;
  endpoint.ca_files = {testing_support::SampleFolder() + "proxy-root.pem"};
  ASSERT_TRUE(ReadRoots(endpoint, findings_));
  EXPECT_EQ(endpoint.roots.size(), 1U);
  endpoint.ca_files = {At("absent.crt")};
  const Error absent = ErrorIn(ReadRoots(endpoint, findings_));
  EXPECT_EQ(absent.code, Code::kRegistries);
  EXPECT_THAT(absent.message, HasSubstr("pulls nothing"));
  Put("empty.crt", "");
  endpoint.ca_files = {At("empty.crt")};
  EXPECT_FALSE(ReadRoots(endpoint, findings_)) << "containerd refuses it, too";
}

TEST_F(HostsFolderTest, TheClientsCertificateIsRead) {
  Put("client.pem", "certificate");
  Put("client.key", "key");
  Endpoint endpoint;
  endpoint.client_certificate_file = At("client.pem");
  endpoint.client_key_file = At("client.key");
  ASSERT_TRUE(ReadRoots(endpoint, findings_));
  EXPECT_EQ(endpoint.client_certificate, "certificate");
  EXPECT_EQ(endpoint.client_key, Secret("key"));
  endpoint.client_key_file = At("absent.key");
  EXPECT_EQ(ReadRoots(endpoint, findings_).error().code, Code::kRegistries);
}

TEST_F(HostsFolderTest, AFolderThatIsALinkIsFollowed) {
  Put("../" + scratch_.path().filename().string() + "-real/hosts.toml", "[host.\"https://m.example\"]\n");
  const std::string real = scratch_.path().string() + "-real";
  std::error_code fault;
  std::filesystem::create_directory_symlink(real, scratch_.At("quay.io"), fault);
  if (fault) GTEST_SKIP() << "NOT RUN: this user can't make links: " << fault.message();
  std::filesystem::create_directory_symlink(At("nowhere"), scratch_.At("other.example"));
  const HostsFolder folder = ReadAll();
  ASSERT_NE(folder.Find("quay.io", false), nullptr);
  EXPECT_EQ(folder.Find("quay.io", false)->hosts.size(), 1U);
  EXPECT_EQ(folder.Find("other.example", false), nullptr);
  std::filesystem::remove_all(real);
}

TEST_F(HostsFolderTest, AFolderOfAnotherLevelIsToldApart) {
  ReadAll();
  EXPECT_THAT(findings_.at(0).message, HasSubstr("has no folder of a registry"));
  Put("hosts.toml", "[host.\"https://m.example\"]\n");
  const Error read = ErrorIn(HostsFolder::Read(scratch_.path().string(), Containerd::k2, findings_));
  EXPECT_THAT(read.message, HasSubstr("give the folder above it"));
}

TEST(HostsToml, IsToldFromARegistriesConf) {
  EXPECT_TRUE(IsHostsToml("server = \"https://quay.io\"\n"));
  EXPECT_TRUE(IsHostsToml("[host.\"https://m.example\"]\n"));
  EXPECT_FALSE(IsHostsToml("[[registry]]\nlocation = \"quay.io\"\n"));
  EXPECT_FALSE(IsHostsToml("kind: ImageDigestMirrorSet\n"));
  EXPECT_FALSE(IsHostsToml(""));
}

}  // namespace
}  // namespace prov::registries
