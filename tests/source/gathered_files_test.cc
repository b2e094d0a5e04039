// Which files of a must-gather are read, and which archives and folders are refused.
#include "provisioner/source/gathered_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "provisioner/base/error.h"
#include "tests/ignition/helpers.h"
#include "tests/source/tar_helpers.h"
#include "tests/support/scratch_folder.h"

namespace prov::source {
namespace {

using ignition::Gzip;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::StartsWith;

constexpr const char* kProxyFile =
    "must-gather/image/cluster-scoped-resources/config.openshift.io/proxies/cluster.yaml";

TEST(GatheredFiles, AreThoseThatMayStateSettings) {
  for (const char* path :
       {kProxyFile, "cluster-scoped-resources/config.openshift.io/proxies.yaml",
        "a/cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigs/rendered-worker-1.yaml",
        "a/cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools/worker.json",
        "namespaces/openshift-config/core/configmaps.yaml", "namespaces/openshift-config/core/configmaps/x.yml",
        "namespaces/openshift-config-managed/core/configmaps/trusted-ca-bundle.yaml",
        "namespaces/clusters/hypershift.openshift.io/hostedclusters/one.yaml",
        "namespaces/fleet-default/provisioning.cattle.io/clusters.yaml",
        "cluster-scoped-resources/certificates.k8s.io/clustertrustbundles/corporate.yaml"}) {
    EXPECT_TRUE(IsGatheredFile(path)) << path;
  }
  for (const char* path :
       {"", "proxies.yaml", "config.openshift.io/proxies.yaml", "cluster-scoped-resources/config.openshift.io",
        "cluster-scoped-resources/config.openshift.io/proxies/a/b.yaml", "cluster-scoped-resources/core/nodes/n.yaml",
        "cluster-scoped-resources/config.openshift.io/proxies/cluster.log",
        "cluster-scoped-resources/config.openshift.io/proxies/.yaml", "namespaces/default/core/configmaps.yaml",
        "namespaces/openshift-config/core/secrets.yaml", "namespaces/openshift-config/pods/a/a.yaml"}) {
    EXPECT_FALSE(IsGatheredFile(path)) << path;
  }
}

struct TakenFiles {
  std::map<std::string, std::string> files;
  std::string failure;
};

TakenFiles FromArchive(const std::string& archive, const GatheredLimits& limits = {}) {
  TakenFiles out;
  const auto read = ReadArchivedFiles(
      ReadBytesOf(archive), "a.tar.gz",
      [&](const std::string& path, std::string bytes) -> Result<void> {
        out.files[path] = std::move(bytes);
        return {};
      },
      limits);
  if (!read) out.failure = fmt::format("{}: {}", InfoOf(read.error().code).name, read.error().message);
  return out;
}

TEST(GatheredFiles, OfAnArchiveComeFromTarAndGzip) {
  const std::string archive = TarHeader("must-gather/", 0, '5') +
                              TarFile("must-gather/big.log", std::string(9000, 'x')) +
                              TarFile(std::string("./") + kProxyFile, "kind: Proxy\n") + TarEnd();
  for (const std::string& bytes : {archive, Gzip(archive), Gzip(archive.substr(0, 700)) + Gzip(archive.substr(700))}) {
    EXPECT_TRUE(IsTarArchive(bytes));
    const TakenFiles read = FromArchive(bytes);
    EXPECT_EQ(read.failure, "");
    EXPECT_THAT(read.files, ElementsAre(Key(kProxyFile)));
  }
  EXPECT_FALSE(IsTarArchive(Gzip("kind: Proxy\n")));
  EXPECT_FALSE(IsTarArchive("kind: Proxy\n"));
}

TEST(GatheredFiles, OfAHostileArchiveAreRefused) {
  const auto with = [](const std::string& entry) { return entry + TarFile(kProxyFile, "kind: Proxy\n") + TarEnd(); };
  const std::string link = TarHeader("evil", 0, '2');
  const std::pair<std::string, std::string> rows[] = {
      {with(TarFile("../x.yaml", "a")), "kind: holds the name \"../x.yaml\", which leads out"},
      {with(TarFile("a/../../x", "a")), "kind: holds the name"},
      {with(TarFile("/etc/x", "a")), "kind: holds the name"},
      {with(TarFile("C:\\x", "a")), "kind: holds the name"},
      {with(TarFile("C:x", "a")), "kind: holds the name"},
      {with(link), "link: holds a link at \"evil\""},
      {with(TarHeader(kProxyFile, 0, '1')), "link: holds a link"},
      {with(TarHeader("d", 0, '3')), "link: holds a device"},
      {with(TarHeader("d", 0, '4')), "link: holds a device"},
      {with(TarHeader("d", 0, '6')), "link: holds a device"},
      {with(TarFile(kProxyFile, "kind: Proxy\n")), "kind: holds the file"},
      {Gzip(with("")).substr(0, 40), "decompress: cannot decompress: the gzip stream ends too early"},
      {with("").substr(0, 700), "kind: is no complete tar archive: it is cut short"},
  };
  for (const auto& [archive, failure] : rows) EXPECT_THAT(FromArchive(archive).failure, StartsWith(failure));
}

TEST(GatheredFiles, KeepTheLimits) {
  const auto archive = [](int files, std::size_t size) {
    std::string out;
    for (int i = 0; i < files; ++i) {
      out += TarFile(fmt::format("cluster-scoped-resources/config.openshift.io/proxies/{}.yaml", i),
                     std::string(size, 'a'));
    }
    return out + TarEnd();
  };
  EXPECT_EQ(FromArchive(archive(3, 10), {.entries = 3, .files = 3, .file = 10, .together = 30}).failure, "");
  EXPECT_THAT(FromArchive(archive(3, 10), {.entries = 2}).failure, HasSubstr("holds more than 2 entries"));
  EXPECT_THAT(FromArchive(archive(3, 10), {.files = 2}).failure, HasSubstr("holds more than 2 files"));
  EXPECT_THAT(FromArchive(archive(3, 10), {.file = 9}).failure, HasSubstr("with 10 bytes, more than 9"));
  EXPECT_THAT(FromArchive(archive(3, 10), {.together = 29}).failure, HasSubstr("with 10 bytes, more than 9"));
  EXPECT_THAT(FromArchive(archive(3, 10), {.unpacked = 2000}).failure, HasSubstr("unpacks to more than 2000 bytes"));
  const std::string bomb = Gzip(TarFile("big.log", std::string(1 << 20, '\0')) + TarEnd());
  EXPECT_THAT(FromArchive(bomb, {.plain = 1000, .ratio = 100}).failure,
              StartsWith("too-large: unpacks to more than 100 times its size"));
  EXPECT_EQ(FromArchive(bomb, {.plain = 2 << 20, .ratio = 100}).failure, "");
}

class GatheredFolder : public testing::Test {
 protected:
  void Put(const std::string& path, const std::string& bytes) {
    const std::filesystem::path file = scratch_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }
  TakenFiles Read(const std::string& below = "") {
    TakenFiles out;
    const auto read = ReadFolderFiles((scratch_.path() / below).generic_string(),
                                      [&](const std::string& path, std::string bytes) -> Result<void> {
                                        out.files[path] = std::move(bytes);
                                        return {};
                                      });
    if (!read) out.failure = fmt::format("{}: {}", InfoOf(read.error().code).name, read.error().message);
    return out;
  }
  bool IsOne(const std::string& below = "") { return IsGatheredFolder((scratch_.path() / below).generic_string()); }

  testing_support::ScratchFolder scratch_;
};

TEST_F(GatheredFolder, IsKnownByTheFoldersInIt) {
  Put("other/manifest.json", "{}");
  EXPECT_FALSE(IsOne("other"));
  EXPECT_FALSE(IsOne("absent"));
  Put(kProxyFile, "kind: Proxy\n");
  EXPECT_TRUE(IsOne());
  EXPECT_TRUE(IsOne("must-gather"));
  EXPECT_TRUE(IsOne("must-gather/image"));
  EXPECT_TRUE(IsOne("must-gather/image/cluster-scoped-resources"));
  EXPECT_THAT(Read("must-gather").files, ElementsAre(Key(std::string(kProxyFile).substr(12))));
  EXPECT_THAT(Read("must-gather/image/cluster-scoped-resources").files,
              ElementsAre(Key("config.openshift.io/proxies/cluster.yaml")));
}

TEST_F(GatheredFolder, RefusesALinkInThePlaceOfWhatIsRead) {
  Put("real/proxies/cluster.yaml", "kind: Proxy\n");
  std::filesystem::create_directories(scratch_.path() / "g/cluster-scoped-resources");
  std::error_code error;
  std::filesystem::create_directory_symlink(scratch_.path() / "real",
                                            scratch_.path() / "g/cluster-scoped-resources/config.openshift.io", error);
  if (error) GTEST_SKIP() << "no links here: " << error.message();
  EXPECT_THAT(Read("g").failure, StartsWith("link: is a link or a device, and may hide"));
  std::filesystem::remove(scratch_.path() / "g/cluster-scoped-resources/config.openshift.io");
  Put("g/cluster-scoped-resources/config.openshift.io/proxies.yaml", "kind: ProxyList\n");
  std::filesystem::create_symlink("/etc/hostname", scratch_.path() / "g/latest", error);
  EXPECT_EQ(Read("g").failure, "") << "no link in the place of an object";
  std::filesystem::create_symlink(
      "/etc/hostname", scratch_.path() / "g/cluster-scoped-resources/config.openshift.io/images.yaml", error);
  EXPECT_THAT(Read("g").failure, StartsWith("link: "));
}

}  // namespace
}  // namespace prov::source
