// The signed files of each node, as a reader with the signer finds them in folders.
#include "provisioner/payload/node_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "provisioner/payload/node_payloads.h"
#include "templates/templates.h"
#include "tests/payload/json_damage.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sign_payload.h"

namespace prov::payload {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing_support::PutBytes;
using testing_support::ReadAll;
using testing_support::SignFolder;
using testing_support::TestSigner;
using testing_support::WithMember;
using testing_support::WithoutMember;

class FolderSink final : public images::FileSink {
 public:
  explicit FolderSink(fs::path root) : root_(std::move(root)) {}
  Result<void> Add(std::string_view path, std::string_view bytes, unsigned /*mode*/) override {
    fs::create_directories((root_ / path).parent_path());
    PutBytes(root_ / path, bytes);
    return {};
  }
  Result<void> Finish() override { return {}; }

 private:
  fs::path root_;
};

class NodeFiles : public testing::Test {
 protected:
  NodeFiles() {
    Seal(payload_);
    const auto payloads = Prepare();
    FolderSink sink(root_);
    EXPECT_TRUE(payloads.WriteTree(sink, [](std::size_t) {}));
  }

  void Seal(Payload& payload) const {
    AddManifest(payload.files, {payload.generation, payload.cluster});
    EXPECT_TRUE(SignPayload(payload, key_));
  }

  // Puts a payload of the same signer in place of another.
  void Swap(const fs::path& folder, Payload other) const {
    fs::remove_all(folder);
    Seal(other);
    FolderSink sink(folder);
    for (const PayloadFile& file : other.files) EXPECT_TRUE(sink.Add(file.path, file.bytes, 0644));
  }

  NodePayloads Prepare() const { return NodePayloads::Prepare(payload_, nodes_, "unattend.xml", &key_).value(); }
  std::string Folder(const std::string& node) const { return (root_ / "nodes" / node).string(); }

  // "" if the files are those of the node, as we signed them.
  std::string Refused(const std::string& folder, const std::string& node) const {
    const auto checked = CheckNodeFiles(folder, pin_, node);
    return checked ? "" : std::string(InfoOf(checked.error().code).name) + " " + checked.error().where;
  }

  const TestSigner ours_{"Payload Signer"};
  const TestSigner theirs_{"Payload Signer", "rsa2048#other"};
  const std::vector<PayloadFile> contents_ = {{"egress.json", "settings", true, "p"},
                                              {"unattend.xml", std::string(templates::UnattendXml()), false, "p"}};
  const Pin pin_{.signers = {ours_.certificate}, .cluster = "prod"};
  const SigningKey key_ = SigningKey::Read(Secret(ours_.key_pem), ours_.certificate, "key").value();
  Payload payload_{5, contents_, "prod"};
  const std::vector<Node> nodes_ = {{"a", NodeNetwork{"10.0.0.4", 20, true, "10.0.0.1", {}, "00:15:5d:0a:0b:0b"}},
                                    {"b", NodeNetwork{"10.0.0.5", 20, true, "10.0.0.1", {}, "00:15:5d:0a:0b:0c"}}};
  testing_support::ScratchFolder scratch_;
  const fs::path root_ = scratch_.path() / "fleet";
};

TEST_F(NodeFiles, AreThoseOfTheNode) {
  for (const Node& node : nodes_) EXPECT_EQ(Refused(Folder(node.name), node.name), "");
  const Manifest manifest = CheckNodeFiles(Folder("b"), pin_, "B").value();
  EXPECT_EQ(manifest.node, "b");
  EXPECT_EQ(manifest.generation, 5);
  EXPECT_EQ(manifest.files.size(), 5U);
  EXPECT_TRUE(LoadPayloadFolder((root_ / "common").string(), pin_));
  const Pin other{.signers = {ours_.certificate}, .cluster = "test"};
  EXPECT_EQ(CheckNodeFiles(Folder("b"), other, "b").error().code, Code::kCluster);
}

TEST_F(NodeFiles, OfAnotherNodeAreRefused) {
  const Manifest manifest = CheckNodeFiles(Folder("b"), pin_, "b").value();
  for (const ManifestEntry& file : manifest.files) {
    const std::string own = ReadAll(fs::path(Folder("b")) / file.path);
    const std::string others = ReadAll(fs::path(Folder("a")) / file.path);
    ASSERT_NE(own, others) << file.path;
    PutBytes(fs::path(Folder("b")) / file.path, others);
    EXPECT_EQ(Refused(Folder("b"), "b"), fmt::format("manifest {}: {}", Folder("b"), file.path));
    PutBytes(fs::path(Folder("b")) / file.path, own);
  }
  EXPECT_EQ(Refused(Folder("b"), "b"), "");
  fs::remove_all(Folder("b"));
  fs::copy(Folder("a"), Folder("b"), fs::copy_options::recursive);
  EXPECT_EQ(Refused(Folder("b"), "b"), "manifest " + Folder("b"));
}

TEST_F(NodeFiles, HaveNothingUnsignedBesideThem) {
  const fs::path folder = Folder("a");
  PutBytes(folder / "unattend.cmd", "");
  EXPECT_EQ(Refused(Folder("a"), "a"), fmt::format("manifest {}/unattend.cmd", Folder("a")));
  fs::remove(folder / "unattend.cmd");
  fs::create_directory(folder / "provisioner");
  PutBytes(folder / "provisioner/run.cmd", "");
  EXPECT_EQ(Refused(Folder("a"), "a"), fmt::format("manifest {}/provisioner", Folder("a")));
  fs::remove_all(folder / "provisioner");
  SignFolder(folder, theirs_);
  EXPECT_EQ(Refused(Folder("a"), "a"), fmt::format("signature {}/manifest.json.p7s", Folder("a")));
  fs::remove(folder / kSignaturePath);
  EXPECT_EQ(Refused(Folder("a"), "a"), "signature " + Folder("a"));
}

// Both are signed by the same key, so that only the manifest tells them apart.
TEST_F(NodeFiles, AreNoPayloadAndAPayloadIsNotTheirs) {
  const auto read = LoadPayloadFolder(Folder("a"), pin_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kManifest);
  EXPECT_THAT(read.error().message, HasSubstr("the files of the node a"));
  const std::string common = (root_ / "common").string();
  EXPECT_EQ(Refused(common, "a"), "manifest " + common);
}

TEST_F(NodeFiles, OfADriveAreSignedBesideItsPayload) {
  for (const DriveKind kind :
       {DriveKind::kConfigDrive, DriveKind::kNoCloud, DriveKind::kPlain, DriveKind::kSetupMedia}) {
    const fs::path drive = scratch_.path() / fmt::format("drive{}", static_cast<int>(kind));
    const auto make = [&](const Node& node) -> Result<std::unique_ptr<images::FileSink>> {
      return std::make_unique<FolderSink>(drive / node.name);
    };
    ASSERT_TRUE(Prepare().WriteDrives(make, kind, [](std::size_t) {}));
    const std::string own = (drive / "a").string();
    EXPECT_EQ(Refused(own, "a"), "");
    EXPECT_EQ(Refused(own, "b"), "manifest " + own);
    PutBytes(drive / "a/provisioner/egress.json", "other");
    EXPECT_EQ(Refused(own, "a"), fmt::format("manifest {}/provisioner: egress.json", own)) << "the payload counts, too";
  }
}

// Each payload is signed by the same key, and no pin names a cluster.
TEST_F(NodeFiles, GoWithTheirPayloadAlone) {
  const fs::path drives = scratch_.path() / "drives";
  const auto make = [&](const Node& node) -> Result<std::unique_ptr<images::FileSink>> {
    return std::make_unique<FolderSink>(drives / node.name);
  };
  ASSERT_TRUE(Prepare().WriteDrives(make, DriveKind::kPlain, [](std::size_t) {}));
  const Payload older{4, contents_, "prod"};
  const Payload elsewhere{5, contents_, "test"};
  const Payload changed{5, {{"egress.json", "other settings", true, "p"}}, "prod"};
  const struct {
    std::string folder;
    fs::path payload;
  } kPlaces[] = {{(drives / "a").string(), drives / "a/provisioner"}, {Folder("a"), root_ / "common"}};
  const Pin any{.signers = {ours_.certificate}};
  for (const auto& place : kPlaces) {
    ASSERT_TRUE(CheckNodeFiles(place.folder, any, "a"));
    const auto refusal = [&](const Payload& other) {
      Swap(place.payload, other);
      EXPECT_TRUE(LoadPayloadFolder(place.payload.string(), any));
      const auto checked = CheckNodeFiles(place.folder, any, "a");
      EXPECT_TRUE(!checked && checked.error().code == Code::kManifest) << place.folder;
      return checked ? "" : checked.error().message;
    };
    EXPECT_THAT(refusal(older), HasSubstr("(generation 4, not 5)"));
    EXPECT_THAT(refusal(elsewhere), HasSubstr("(for the cluster test, not for the cluster prod)"));
    EXPECT_THAT(refusal(changed), HasSubstr("is not the payload that the files of the node a were signed with;"));
    Swap(place.payload, {5, contents_, "prod"});
    EXPECT_TRUE(CheckNodeFiles(place.folder, any, "a")) << "the same payload, signed again";
    fs::remove_all(place.payload);
    EXPECT_THAT(CheckNodeFiles(place.folder, any, "a").error().message, HasSubstr("is missing"));
  }
}

TEST_F(NodeFiles, NameTheirPayload) {
  const fs::path manifest = fs::path(Folder("a")) / kManifestName;
  const std::string good = ReadAll(manifest);
  const auto refusal = [&](const std::string& text) {
    PutBytes(manifest, text);
    SignFolder(Folder("a"), ours_);
    return CheckNodeFiles(Folder("a"), pin_, "a").error();
  };
  const Error none = refusal(WithoutMember(good, "/payload"));
  EXPECT_EQ(none.code, Code::kManifest);
  EXPECT_THAT(none.message, HasSubstr("names no payload"));
  EXPECT_THAT(refusal(WithMember(good, "/payload/path", "\"../b\"")).message, HasSubstr("where no payload"));
  EXPECT_EQ(refusal(WithMember(good, "/payload/path", "\"provisioner\"")).where, Folder("a") + "/provisioner");
  EXPECT_EQ(refusal(WithoutMember(good, "/payload/path")).code, Code::kType);
  EXPECT_EQ(refusal(WithoutMember(good, "/payload/sha256")).code, Code::kType);
}

}  // namespace
}  // namespace prov::payload
