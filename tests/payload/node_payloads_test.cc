#include "provisioner/payload/node_payloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "provisioner/base/json_reader.h"
#include "provisioner/payload/node_metadata.h"
#include "templates/templates.h"
#include "tests/support/result.h"

namespace prov::payload {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Recorded {
  struct File {
    std::string bytes;
    unsigned mode;
  };
  std::string At(const std::string& path) const { return files.contains(path) ? files.at(path).bytes : "<none>"; }

  std::map<std::string, File> files;
  std::vector<std::string> order;
};

class Recorder final : public images::FileSink {
 public:
  explicit Recorder(Recorded& to, std::string fail_at = {}) : to_(to), fail_at_(std::move(fail_at)) {}
  Result<void> Add(std::string_view path, std::string_view bytes, unsigned mode) override {
    if (path == fail_at_) return Fail(Code::kIo, "full", std::string(path));
    EXPECT_TRUE(to_.files.emplace(path, Recorded::File{std::string(bytes), mode}).second) << path;
    to_.order.emplace_back(path);
    return {};
  }
  Result<void> Finish() override { return {}; }

 private:
  Recorded& to_;
  std::string fail_at_;
};

const Payload kPayload{1,
                       {{"egress.json", "settings", true, "p"},
                        {"manifest.json", "{}", false, "p"},
                        {"unattend.xml", std::string(templates::UnattendXml()), false, "p"}}};
const std::vector<Node> kNodes = {
    {"a", std::nullopt},
    {"b", NodeNetwork{"10.0.0.5", 20, true, "10.0.0.1", {"10.0.0.2"}, "00:15:5d:0a:0b:0c"}},
    {"c", NodeNetwork{"2001:db8::7", 64, false, {}, {}, {}}}};

Recorded Tree(const std::vector<Node>& nodes = kNodes) {
  Recorded out;
  Recorder sink(out);
  const auto payloads = NodePayloads::Prepare(kPayload, nodes, "unattend.xml");
  EXPECT_TRUE(payloads);
  std::vector<std::size_t> steps;
  EXPECT_TRUE(payloads->WriteTree(sink, [&](std::size_t done) { steps.push_back(done); }));
  EXPECT_EQ(steps.size(), nodes.size());
  return out;
}

TEST(NodePayloads, SharesThePayloadAndHasAFolderForEachNode) {
  const Recorded tree = Tree();
  EXPECT_THAT(tree.order, ElementsAre("common/egress.json", "common/manifest.json", "common/unattend.xml",
                                      "nodes/a/meta-data", "nodes/a/meta_data.json", "nodes/a/unattend.xml",
                                      "nodes/b/meta-data", "nodes/b/meta_data.json", "nodes/b/network-config",
                                      "nodes/b/network_data.json", "nodes/b/unattend.xml", "nodes/c/meta-data",
                                      "nodes/c/meta_data.json", "nodes/c/unattend.xml"));
  EXPECT_TRUE(std::ranges::is_sorted(tree.order));
  EXPECT_EQ(tree.At("common/egress.json"), "settings");
  EXPECT_EQ(tree.files.at("common/egress.json").mode, 0600U);
  EXPECT_EQ(tree.files.at("nodes/a/unattend.xml").mode, 0644U);
  EXPECT_THAT(tree.At("nodes/b/unattend.xml"), AllOf(HasSubstr("<ComputerName>b</"), HasSubstr("10.0.0.5/20")));
  EXPECT_THAT(tree.At("nodes/a/unattend.xml"), AllOf(HasSubstr("<ComputerName>a</"), Not(HasSubstr("TCPIP"))));
}

TEST(NodePayloads, MetadataNamesTheNodeAndItsNetwork) {
  const Recorded tree = Tree();
  EXPECT_THAT(tree.At("nodes/b/meta-data"),
              AllOf(StartsWith("instance-id: \""), HasSubstr("\nlocal-hostname: \"b\"\n")));
  EXPECT_EQ(tree.At("nodes/b/network-config"),
            "version: 1\n"
            "config:\n"
            "  - type: physical\n"
            "    name: \"Ethernet 00155d0a0b0c\"\n"
            "    mac_address: \"00:15:5d:0a:0b:0c\"\n"
            "    subnets:\n"
            "      - type: static\n"
            "        address: \"10.0.0.5/20\"\n"
            "        gateway: \"10.0.0.1\"\n"
            "        dns_nameservers:\n"
            "          - \"10.0.0.2\"\n");
  const auto data = Must(ParseJsonDocument(tree.At("nodes/b/network_data.json"), "x"));
  const JsonNode network = (*(*data.Get("networks")).Items())[0];
  EXPECT_EQ(*network.Get("netmask")->Text(), "255.255.240.0");
  EXPECT_EQ(*network.Get("ip_address")->Text(), "10.0.0.5");
  const JsonNode link = (*(*data.Get("links")).Items())[0];
  EXPECT_EQ(*link.Get("ethernet_mac_address")->Text(), "00:15:5d:0a:0b:0c");
  EXPECT_EQ(*link.Get("id")->Text(), "Ethernet 00155d0a0b0c");
  EXPECT_EQ(*network.Get("link")->Text(), "Ethernet 00155d0a0b0c");
  const auto meta = Must(ParseJsonDocument(tree.At("nodes/b/meta_data.json"), "x"));
  EXPECT_EQ(*meta.Get("hostname")->Text(), "b");
  EXPECT_THAT(tree.At("nodes/b/meta-data"), HasSubstr(*meta.Get("uuid")->Text()));
}

TEST(NodePayloads, NetmaskOfTheSixthVersion) {
  const NodeNetwork network{"2001:db8::7", 56, false, {}, {}, "00:15:5d:0a:0b:0c"};
  EXPECT_THAT(NetworkDataJson(network), HasSubstr("\"ffff:ffff:ffff:ff00::\""));
  EXPECT_THAT(NetworkConfigYaml(network), HasSubstr("type: static6"));
}

// cloudbase-init does again what it did when the instance is another one.
TEST(NodePayloads, InstanceChangesWithWhatTheNodeIsTold) {
  const std::string first = InstanceId("payload", &kNodes[1]);
  EXPECT_EQ(first, InstanceId("payload", &kNodes[1]));
  ASSERT_EQ(first.size(), 36U);
  EXPECT_EQ(first[14], '8');  // the version
  EXPECT_THAT(std::string("89ab"), HasSubstr(first.substr(19, 1)));
  Node changed = kNodes[1];
  changed.network->gateway = "10.0.0.9";
  for (const std::string& other : {InstanceId("other", &kNodes[1]), InstanceId("payload", &kNodes[0]),
                                   InstanceId("payload", &changed), InstanceId("payload", nullptr)})
    EXPECT_NE(first, other);
}

Recorded Drive(DriveKind kind, const DriveNode& node = {}) {
  Recorded out;
  Recorder sink(out);
  EXPECT_TRUE(WriteDrive(sink, kind, kPayload, node));
  EXPECT_TRUE(std::ranges::is_sorted(out.order));
  return out;
}

TEST(Drive, LiesAsItsReaderWantsIt) {
  EXPECT_THAT(Drive(DriveKind::kConfigDrive).order,
              ElementsAre("openstack/latest/meta_data.json", "openstack/latest/user_data", "provisioner/egress.json",
                          "provisioner/manifest.json", "provisioner/unattend.xml"));
  EXPECT_THAT(Drive(DriveKind::kNoCloud).order,
              ElementsAre("meta-data", "provisioner/egress.json", "provisioner/manifest.json",
                          "provisioner/unattend.xml", "user-data"));
  EXPECT_THAT(Drive(DriveKind::kPlain).order,
              ElementsAre("Start-Drive.ps1", "provisioner/egress.json", "provisioner/manifest.json",
                          "provisioner/unattend.xml", "unattend.xml"));
  EXPECT_EQ(Drive(DriveKind::kPlain).At("Start-Drive.ps1"), DriveScript());
  EXPECT_THAT(Drive(DriveKind::kNoCloud).At("user-data"), StartsWith("#ps1_sysnative\r\n"));
  EXPECT_EQ(Drive(DriveKind::kConfigDrive).files.at("provisioner/egress.json").mode, 0600U);
}

TEST(Drive, OfANodeSaysWhoItIs) {
  const DriveNode node{&kNodes[1], "answers"};
  EXPECT_THAT(
      Drive(DriveKind::kConfigDrive, node).order,
      ElementsAre("openstack/latest/meta_data.json", "openstack/latest/network_data.json", "openstack/latest/user_data",
                  "provisioner/egress.json", "provisioner/manifest.json", "provisioner/unattend.xml"));
  EXPECT_THAT(Drive(DriveKind::kNoCloud, node).At("network-config"), HasSubstr("10.0.0.5/20"));
  const Recorded plain = Drive(DriveKind::kPlain, node);
  EXPECT_THAT(plain.order, ElementsAre("Start-Drive.ps1", "provisioner/egress.json", "provisioner/manifest.json",
                                       "provisioner/unattend.xml", "unattend.xml"));
  EXPECT_EQ(plain.At("unattend.xml"), "answers");
  EXPECT_EQ(plain.files.at("unattend.xml").mode, 0600U);
}

// A payload in Windows setup's folder is not there, and any code but 0 would end setup.
TEST(Drive, ItsAnswerFileFindsTheDriveAndAlwaysEndsWell) {
  const std::string command = DriveCommand().command_line;
  EXPECT_LE(command.size(), 259U);
  EXPECT_THAT(command, AllOf(StartsWith("cmd.exe /d /c \"(for %d in (D E "), HasSubstr(":\\provisioner\\manifest.json"),
                             HasSubstr("-File %d:\\Start-Drive.ps1 specialize)"), EndsWith(") & exit 0\"")));
  const auto made = Must(DriveAnswerFile(std::nullopt, "unattend.xml"));
  EXPECT_THAT(made,
              AllOf(HasSubstr("pass=\"specialize\""), HasSubstr("%d:\\Start-Drive.ps1 specialize) &amp; exit 0\""),
                    Not(HasSubstr("Setup\\Scripts"))));
  const auto payloads = Must(NodePayloads::Prepare(kPayload, kNodes, "unattend.xml", nullptr, made));
  Recorded drive;
  const auto make = [&](const Node&) -> Result<std::unique_ptr<images::FileSink>> {
    drive = {};
    return std::make_unique<Recorder>(drive);
  };
  ASSERT_TRUE(payloads.WriteDrives(make, DriveKind::kPlain, [](std::size_t) {}));
  EXPECT_THAT(drive.At("unattend.xml"), AllOf(HasSubstr("<ComputerName>c</ComputerName>"), HasSubstr("Start-Drive.ps1"),
                                              Not(HasSubstr("Setup\\Scripts"))));
}

TEST(Drive, AnAnswerFileOfOnesOwnGetsTheDrivesCommandOnly) {
  constexpr std::string_view kOwn =
      "<unattend xmlns=\"urn:schemas-microsoft-com:unattend\"><!-- mine -->\n</unattend>\n";
  const auto made = Must(DriveAnswerFile(std::string(kOwn), "mine.xml"));
  EXPECT_THAT(made, AllOf(HasSubstr("<!-- mine -->"), HasSubstr("Start-Drive.ps1"), Not(HasSubstr("Setup\\Scripts"))));
  const Error refused = ErrorIn(DriveAnswerFile(std::string(templates::UnattendXml()), "mine.xml"));
  EXPECT_EQ(refused.code, Code::kXml);
  EXPECT_EQ(refused.where, "mine.xml");
}

TEST(Drive, SetupFromMediaReadsItsAnswerFileUnderAnotherName) {
  const Recorded drive = Drive(DriveKind::kSetupMedia, {nullptr, "answers"});
  EXPECT_EQ(drive.At("Autounattend.xml"), "answers");
  EXPECT_EQ(drive.At("unattend.xml"), "answers") << "for an image that was generalized";
  EXPECT_EQ(drive.files.at("Autounattend.xml").mode, 0600U);
  EXPECT_FALSE(Drive(DriveKind::kPlain, {nullptr, "answers"}).files.contains("Autounattend.xml"));
}

TEST(Drive, AnAnswerFileWithThePayloadsCommandForAnyArchitectureIsRefused) {
  std::string own(templates::UnattendXml());
  const std::size_t end = own.rfind("</settings>");
  ASSERT_NE(end, std::string::npos);
  own.insert(end, R"(<component name="Microsoft-Windows-Shell-Setup" processorArchitecture="x86"/>)");
  EXPECT_EQ(DriveAnswerFile(own, "mine.xml").error().code, Code::kXml);
}

TEST(Drive, LabelsOfCloudbaseInitAreReadWithoutCase) {
  for (const char* label : {"config-2", "CONFIG-2", "Config-2"}) {
    EXPECT_EQ(DriveKindOf(label), DriveKind::kConfigDrive) << label;
  }
  for (const char* label : {"cidata", "CIDATA"}) EXPECT_EQ(DriveKindOf(label), DriveKind::kNoCloud) << label;
  for (const char* label : {"OTHER", "cidata2", "config2"}) EXPECT_EQ(DriveKindOf(label), DriveKind::kPlain) << label;
}

TEST(NodePayloads, AFailedWriteEndsTheRun) {
  const auto payloads = Must(NodePayloads::Prepare(kPayload, kNodes, "unattend.xml"));
  Recorded some;
  Recorder full(some, "nodes/b/meta-data");
  std::size_t last = 0;
  const auto written = payloads.WriteTree(full, [&](std::size_t done) { last = done; });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::kIo);
  EXPECT_EQ(last, 1U);
}

}  // namespace
}  // namespace prov::payload
