#include "provisioner/cli/bake_delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "images/archive/archive.h"
#include "provisioner/base/file.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/payload/drive.h"
#include "provisioner/payload/node_metadata.h"
#include "provisioner/payload/node_payloads.h"
#include "provisioner/payload/payload_folder.h"
#include "provisioner/unattend/answer_file.h"

namespace prov::cli {
namespace {

using images::ArchiveFormat;
using images::ArchiveOptions;
using payload::DriveKind;
using payload::Node;
using payload::Payload;

constexpr std::string_view kUserData = "userdata";
constexpr std::string_view kDefaultLabel = "PROVISION";

std::optional<ArchiveFormat> ArchiveFormatOf(std::string_view format) {
  if (format == "tar") return ArchiveFormat::kTar;
  if (format == "tgz") return ArchiveFormat::kTgz;
  if (format == "zip") return ArchiveFormat::kZip;
  if (format == "iso") return ArchiveFormat::kIso;
  return std::nullopt;
}

// Calls `stop_check` before each file.
class StoppableSink final : public images::FileSink {
 public:
  StoppableSink(std::unique_ptr<images::FileSink> sink, const StopCheck& stop_check)
      : sink_(std::move(sink)), stop_check_(stop_check) {}

  Result<void> Add(std::string_view path, std::string_view bytes, unsigned mode) override {
    PROV_TRY(CheckStop(stop_check_));
    return sink_->Add(path, bytes, mode);
  }

  Result<void> Finish() override {
    PROV_TRY(CheckStop(stop_check_));
    return sink_->Finish();
  }

 private:
  std::unique_ptr<images::FileSink> sink_;
  const StopCheck& stop_check_;
};

Result<std::unique_ptr<images::FileSink>> Stoppable(const BakeDelivery& delivery,
                                                    Result<std::unique_ptr<images::FileSink>> sink) {
  return std::make_unique<StoppableSink>(PROV_TRY(std::move(sink)), delivery.stop_check);
}

// By its name, or by a pass that only setup from media runs.
Result<bool> IsForMedia(const std::string& answer_file, const std::string& path) {
  const std::string name = AsciiLower(path.substr(path.find_last_of("/\\") + 1));
  return name == "autounattend.xml" || PROV_TRY(unattend::IsForSetupFromMedia(answer_file, path));
}

bool HoldsSecrets(const Payload& payload) { return std::ranges::any_of(payload.files, &payload::PayloadFile::secret); }

bool HasSecretAnswerFile(const Payload& payload) {
  const auto file = std::ranges::find(payload.files, "unattend.xml", &payload::PayloadFile::path);
  return file == payload.files.end() || file->secret;
}

ArchiveOptions OptionsFor(const BakeDelivery& delivery, ArchiveFormat format, const Payload& payload,
                          std::int64_t time_unix) {
  return {.format = format,
          .time_unix = time_unix,
          .label = delivery.label,
          .mode = HoldsSecrets(payload) ? 0600U : 0644U,
          .first_entries = {"README.txt", "common/"}};  // of a payload; of many nodes
}

Result<void> WriteOne(const BakeDelivery& delivery, ArchiveFormat format, const Payload& payload,
                      const std::string& path, std::int64_t time_unix) {
  const auto sink =
      PROV_TRY(Stoppable(delivery, images::MakeArchive(path, OptionsFor(delivery, format, payload, time_unix))));
  if (format == ArchiveFormat::kIso) {
    const payload::DriveNode any{nullptr, delivery.drive_answer_file, HasSecretAnswerFile(payload)};
    PROV_TRY(payload::WriteDrive(*sink, delivery.drive, payload, any));
  } else {
    for (const payload::PayloadFile& file : payload.files) PROV_TRY(sink->Add(file.path, file.bytes, file.Mode()));
  }
  return sink->Finish();
}

Result<void> WriteDrives(const BakeDelivery& delivery, ArchiveFormat format, const Payload& payload,
                         const payload::NodePayloads& payloads, const std::string& path, std::int64_t time_unix,
                         const payload::NodePayloads::Progress& progress) {
  const ArchiveOptions options = OptionsFor(delivery, format, payload, time_unix);
  const auto folder = PROV_TRY(images::MakeArchiveFolder(path, options));
  const auto make = [&](const Node& node) { return Stoppable(delivery, folder->Make(node.name + ".iso", options)); };
  PROV_TRY(payloads.WriteDrives(make, delivery.drive, progress));
  PROV_TRY(CheckStop(delivery.stop_check));
  return folder->Finish();
}

Result<void> WriteNodePayloads(const BakeDelivery& delivery, std::optional<ArchiveFormat> format,
                               const Payload& payload, const std::string& path, std::int64_t time_unix,
                               std::string_view answer_file) {
  const auto answer = delivery.drive_answer_file.empty() ? std::nullopt : std::optional(delivery.drive_answer_file);
  const payload::NodePayloads payloads =
      PROV_TRY(payload::NodePayloads::Prepare(payload, delivery.nodes, answer_file, delivery.key, answer));
  Progress shown("nodes");
  const auto progress = [&](std::size_t done) { shown.Show(done, delivery.nodes.size()); };
  if (format == ArchiveFormat::kIso)
    return WriteDrives(delivery, *format, payload, payloads, path, time_unix, progress);
  const auto sink =
      PROV_TRY(Stoppable(delivery, format ? images::MakeArchive(path, OptionsFor(delivery, *format, payload, time_unix))
                                          : images::MakeFolder(path, time_unix, payload::CheckReplaceableNodes)));
  PROV_TRY(payloads.WriteTree(*sink, progress));
  return sink->Finish();
}

}  // namespace

OptionGroup DeliveryOptionSpecs() {
  return {{"label", "LABEL",
           "with --format iso: the name of the volume. With config-2 and cidata, cloudbase-init applies the payload; "
           "with any other name, Windows setup does, by the drive's unattend.xml (default: PROVISION)",
           Group::kPayload},
          {"nodes", "FILE",
           "write payloads for several nodes: a CSV file with the column name and, optionally, address (with "
           "prefix), gateway, dns and mac. PATH gets common/ and nodes/NAME/; with --format iso, PATH is a folder with "
           "one drive per node",
           Group::kPayload}};
}

Result<void> CheckOutputName(const Arguments& arguments, std::string_view path) {
  using Ending = std::pair<std::string_view, std::string_view>;
  constexpr Ending kEndings[] = {{".zip", "zip"},     {".tar", "tar"},      {".tar.gz", "tgz"},  {".tgz", "tgz"},
                                 {".iso", "iso"},     {".yaml", kUserData}, {".yml", kUserData}, {".json", kUserData},
                                 {".ps1", kUserData}, {".txt", kUserData}};
  if (path == "-") {
    return Fail(Code::kUsage,
                "takes the name of a file or a folder; standard output has what was written as text or JSON", "--out");
  }
  if (arguments.Has("format")) return {};
  const std::string lower = AsciiLower(path);
  for (const auto& [ending, format] : kEndings) {
    if (!lower.ends_with(ending)) continue;
    return Fail(
        Code::kUsage,
        fmt::format("ends in {}, but without --format the payload is a folder; add --format {}, or choose a name "
                    "without this ending",
                    ending, format),
        fmt::format("--out {}", path));
  }
  return {};
}

Result<BakeDelivery> ParseDelivery(const Arguments& arguments, const std::string& format,
                                   const std::optional<std::string>& own_answer_file) {
  BakeDelivery out;
  if (!format.empty()) out.format = format;
  if (arguments.Has("label") && out.format != "iso") return Fail(Code::kUsage, "belongs to --format iso", "--label");
  out.label = arguments.Get("label", kDefaultLabel);
  if (out.format == "iso") {
    PROV_TRY(images::CheckVolumeLabel(out.label));
    out.drive = payload::DriveKindOf(out.label);
    if (out.drive == DriveKind::kPlain) {
      const std::string name = arguments.Get("unattend", "unattend.xml");
      out.drive_answer_file = PROV_TRY(payload::DriveAnswerFile(own_answer_file, name));
      if (own_answer_file && PROV_TRY(IsForMedia(*own_answer_file, name))) out.drive = DriveKind::kSetupMedia;
    }
  }
  if (!arguments.Has("nodes")) return out;
  if (out.format == "userdata")
    return Fail(Code::kUsage, "user data is the same for every node; leave it out, or choose another --format",
                "--nodes");
  const std::string file = arguments.Get("nodes");
  out.nodes = PROV_TRY(payload::ReadNodeList(PROV_TRY(ReadFile(file, payload::kNodeListLimit)), file));
  return out;
}

Result<void> Deliver(const BakeDelivery& delivery, const Payload& payload, const std::string& path,
                     std::int64_t time_unix, std::string_view answer_file) {
  PROV_TRY(CheckStop(delivery.stop_check));  // from here on a signal requests a stop, and no longer ends the program
  const std::optional<ArchiveFormat> format = ArchiveFormatOf(delivery.format);
  if (!delivery.nodes.empty()) return WriteNodePayloads(delivery, format, payload, path, time_unix, answer_file);
  if (!format) return payload::WritePayloadFolder(payload, path, time_unix, delivery.stop_check);
  return WriteOne(delivery, *format, payload, path, time_unix);
}

void AddDeliveryFindings(const BakeDelivery& delivery, const Payload& payload, const std::string& path,
                         Findings& findings) {
  if (delivery.format != "iso") return;
  if (HoldsSecrets(payload)) {
    AddWarning(findings, "drive-secret",
               "this drive contains credentials, and every user of a node can read a drive that is attached to it: "
               "detach it after the first boot, or use --credentials none",
               path);
  }
  const DriveKind kind = delivery.drive;
  const bool is_plain = kind == DriveKind::kPlain || kind == DriveKind::kSetupMedia;
  if (delivery.key != nullptr && delivery.nodes.empty()) {
    AddInfo(findings, "drive-unsigned",
            fmt::format("the payload in this drive is signed, and the files beside it, which {} reads first, are not; "
                        "give --nodes FILE, which signs the files of each node's drive",
                        is_plain ? "Windows setup" : "cloudbase-init"),
            path);
  }
  if (is_plain) return;
  if (kind == DriveKind::kNoCloud) {
    AddWarning(findings, "cidata-service",
               "cloudbase-init does not read a drive with this label by default; use --label config-2, or add NoCloud "
               "to cloudbase-init.conf in the image: "
               "metadata_services=cloudbaseinit.metadata.services.nocloudservice.NoCloudConfigDriveService",
               "--label");
  }
  const auto unseen = std::ranges::count_if(
      delivery.nodes, [](const Node& node) { return node.network && !payload::HasNetworkMetadata(&node); });
  if (unseen > 0) {
    AddWarning(findings, "no-mac",
               fmt::format("{} node(s) have an address but no mac, so cloudbase-init can't find their adapter and "
                           "their drives have no network settings; add the column mac",
                           unseen),
               "--nodes");
  }
}

}  // namespace prov::cli
