#include "provisioner/payload/drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/node_files.h"
#include "provisioner/payload/node_metadata.h"
#include "templates/templates.h"

namespace prov::payload {
namespace {

constexpr std::string_view kConfigDriveLabel = "config-2";
constexpr std::string_view kNoCloudLabel = "cidata";

struct PlacedFile {
  std::string path;
  const PayloadFile* file;
};

// The files of a drive beside the payload.
std::vector<PayloadFile> OwnFiles(DriveKind kind, const std::string& id, const DriveNode& node) {
  const PayloadFile script{"", std::string(DriveScript()), false, "finds the drive and applies its payload"};
  const PayloadFile answers{"", node.answer_file, node.secret, "answer file of this drive"};
  std::vector<PayloadFile> out;
  const auto add = [&](std::string path, PayloadFile file) {
    file.path = std::move(path);
    out.push_back(std::move(file));
  };
  switch (kind) {
    case DriveKind::kConfigDrive:
      out = OpenStackMetadata(id, node.node);
      for (PayloadFile& file : out) file.path.insert(0, "openstack/latest/");
      add("openstack/latest/user_data", script);
      break;
    case DriveKind::kNoCloud:
      out = NoCloudMetadata(id, node.node);
      add("user-data", script);
      break;
    case DriveKind::kSetupMedia:
      add("Autounattend.xml", answers);
      [[fallthrough]];
    case DriveKind::kPlain:
      add("Start-Drive.ps1", script);
      add("unattend.xml", answers);
      break;
  }
  return out;
}

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
  const std::string digest = PayloadDigest(payload);
  std::vector<PayloadFile> own = OwnFiles(kind, InstanceId(digest, node.node), node);
  if (node.key != nullptr) {
    const PayloadOfNode beside{std::string(kPayloadOfDrive), ToHex(digest)};
    PROV_TRY(SignNodeFiles(own, {payload.generation, payload.cluster, node.node->name, beside}, *node.key));
  }
  std::vector<PlacedFile> placed;
  placed.reserve(own.size() + payload.files.size());
  for (const PayloadFile& file : own) placed.push_back({file.path, &file});
  for (const PayloadFile& file : payload.files)
    placed.push_back({fmt::format("{}{}", kDrivePayload, file.path), &file});
  std::ranges::sort(placed, {}, &PlacedFile::path);
  for (const PlacedFile& one : placed) PROV_TRY(sink.Add(one.path, one.file->bytes, one.file->Mode()));
  return {};
}

}  // namespace prov::payload
