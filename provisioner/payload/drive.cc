#include "provisioner/payload/drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/node_metadata.h"
#include "templates/templates.h"

namespace prov::payload {
namespace {

constexpr std::string_view kConfigDriveLabel = "config-2";
constexpr std::string_view kNoCloudLabel = "cidata";
constexpr std::string_view kPayloadFolder = "provisioner/";

struct PlacedFile {
  std::string path;
  std::string_view bytes;
  unsigned mode;
};

class Layout {
 public:
  void Add(std::string path, std::string text) {
    texts_.push_back(std::move(text));
    files_.push_back({std::move(path), texts_.back(), 0644});
  }
  void AddPayload(const Payload& payload) {
    for (const PayloadFile& file : payload.files)
      files_.push_back({fmt::format("{}{}", kPayloadFolder, file.path), file.bytes, file.Mode()});
  }
  void AddAnswerFile(std::string name, const DriveNode& node) {
    files_.push_back({std::move(name), node.answer_file, node.answer_mode});
  }

  Result<void> Write(images::FileSink& sink) {
    std::ranges::sort(files_, {}, &PlacedFile::path);
    for (const PlacedFile& file : files_) PROV_TRY(sink.Add(file.path, file.bytes, file.mode));
    return {};
  }

 private:
  std::deque<std::string> texts_;
  std::vector<PlacedFile> files_;
};

}  // namespace

DriveKind DriveKindOf(std::string_view label) {
  if (EqualsIgnoreAsciiCase(label, kConfigDriveLabel)) return DriveKind::kConfigDrive;
  if (EqualsIgnoreAsciiCase(label, kNoCloudLabel)) return DriveKind::kNoCloud;
  return DriveKind::kPlain;
}

std::string_view DriveScript() { return templates::StartDrivePs1(); }

// The drive letter is unknown, so cmd.exe searches for it: every edition has cmd.exe. The outer parentheses end the
// loop, so that `exit 0` always runs: any other exit code ends Windows setup.
unattend::AnswerFileCommand DriveCommand() {
  unattend::AnswerFileCommand out;
  out.description = "Apply the egress settings of the cluster from this drive";
  out.command_line =
      R"(cmd.exe /d /c "(for %d in (D E F G H I J K L M N O P Q R S T U V W X Y Z) do if exist %d:\provisioner\)"
      R"(manifest.json %windir%\System32\WindowsPowerShell\v1.0\powershell.exe -NoProfile -ExecutionPolicy Bypass )"
      R"(-File %d:\Start-Drive.ps1 specialize) & exit 0")";
  return out;
}

Result<std::string> DriveAnswerFile(const std::optional<std::string>& own, std::string_view where) {
  constexpr std::string_view kEmpty = "<unattend xmlns=\"urn:schemas-microsoft-com:unattend\">\n</unattend>\n";
  if (own && PROV_TRY(unattend::HasCommand(*own, PayloadCommand(), where))) {
    return Fail(
        Code::kXml,
        "runs a payload in %SystemRoot%\\Setup\\Scripts, where none is when a drive brings it; give the answer file "
        "without that command",
        std::string(where));
  }
  return PROV_TRY(unattend::AddCommand(own ? std::string_view(*own) : kEmpty, DriveCommand(), where)).bytes;
}

std::string PayloadDigest(const Payload& payload) {
  const auto manifest = std::ranges::find(payload.files, "manifest.json", &PayloadFile::path);
  return Sha256(manifest == payload.files.end() ? std::string_view() : manifest->bytes);
}

Result<void> WriteDrive(images::FileSink& sink, DriveKind kind, const Payload& payload, const DriveNode& node) {
  Layout layout;
  const std::string id = InstanceId(PayloadDigest(payload), node.node);
  const bool network = HasNetworkMetadata(node.node);
  switch (kind) {
    case DriveKind::kConfigDrive:
      layout.Add("openstack/latest/meta_data.json", MetaDataJson(id, node.node));
      layout.Add("openstack/latest/user_data", std::string(DriveScript()));
      if (network) layout.Add("openstack/latest/network_data.json", NetworkDataJson(*node.node->network));
      break;
    case DriveKind::kNoCloud:
      layout.Add("meta-data", MetaDataYaml(id, node.node));
      layout.Add("user-data", std::string(DriveScript()));
      if (network) layout.Add("network-config", NetworkConfigYaml(*node.node->network));
      break;
    case DriveKind::kSetupMedia:
      layout.AddAnswerFile("Autounattend.xml", node);
      [[fallthrough]];
    case DriveKind::kPlain:
      layout.Add("Start-Drive.ps1", std::string(DriveScript()));
      layout.AddAnswerFile("unattend.xml", node);
      break;
  }
  layout.AddPayload(payload);
  return layout.Write(sink);
}

}  // namespace prov::payload
