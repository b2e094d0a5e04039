#include "provisioner/payload/node_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/payload/manifest.h"

namespace prov::payload {

bool IsNodeFile(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {kManifestName,    kSignaturePath,   "meta-data",
                                                      "meta_data.json", "network-config", "network_data.json",
                                                      "unattend.xml"};
  return std::ranges::find(kNames, name) != kNames.end();
}

Result<void> SignNodeFiles(std::vector<PayloadFile>& files, const ManifestHead& head, const SigningKey& key) {
  Payload all{head.generation, std::move(files)};
  AddManifest(all.files, head);
  PROV_TRY(SignPayload(all, key));
  files = std::move(all.files);
  return {};
}

Result<Manifest> CheckNodeFiles(const std::string& folder, const Pin& pin, std::string_view node) {
  LoadedPayload loaded = PROV_TRY(LoadFolder(folder, {.pin = pin, .apart = kDrivePayload}));
  const std::string& named = loaded.manifest.node;
  if (named.empty()) {
    return Fail(Code::kManifest, "is a payload, and not the files of one node; check it without --node", folder);
  }
  if (!EqualsIgnoreAsciiCase(named, node)) {
    return Fail(Code::kManifest,
                fmt::format("holds the files of the node {}, and not those of {}; find out who put them there, and "
                            "take those that bake wrote for {}",
                            named, node, node),
                folder);
  }
  PROV_TRY(CheckDigests(loaded.files, loaded.manifest, folder));
  const std::string payload = fmt::format("{}/{}", folder, kDrivePayload.substr(0, kDrivePayload.size() - 1));
  if (IsFolder(payload)) {
    const LoadedPayload common = PROV_TRY(LoadPayloadFolder(payload, pin));
    PROV_TRY(CheckDigests(common.files, common.manifest, payload));
  }
  return std::move(loaded.manifest);
}

}  // namespace prov::payload
