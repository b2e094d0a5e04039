#include "provisioner/payload/node_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/manifest.h"

namespace prov::payload {
namespace {

std::string ClusterOf(const ManifestHead& head) {
  return head.cluster.empty() ? "no cluster by name" : "the cluster " + head.cluster;
}

// Where the manifest of a node says that its payload is. A drive's is in its folder, and no other folder has one there:
// nothing signs it.
Result<std::string> FindPayload(const std::string& folder, const PayloadOfNode& payload) {
  if (payload.path != kPayloadOfDrive && payload.path != kPayloadOfNodes) {
    return Fail(Code::kManifest,
                payload.path.empty() ? "names no payload that the files of the node go with; bake them again"
                                     : "names a payload in a folder where no payload of a node is; bake it again",
                fmt::format("{}/{}", folder, kManifestName));
  }
  const std::string own = fmt::format("{}/{}", folder, kPayloadOfDrive);
  if (payload.path == kPayloadOfNodes && IsFolder(own)) {
    return Fail(Code::kManifest,
                fmt::format("is a payload beside files whose payload is {}; take the drive that bake wrote, and find "
                            "out who put it there",
                            payload.path),
                own);
  }
  std::string out = fmt::format("{}/{}", folder, payload.path);
  if (IsFolder(out)) return out;
  return Fail(Code::kManifest,
              "is missing, and the files of the node go with the payload in it; take it with them as bake wrote it",
              std::move(out));
}

// Whether the payload is the one that the manifest of a node names.
Result<void> CheckPayloadOfNode(const std::string& folder, const Pin& pin, const ManifestHead& node) {
  const std::string path = PROV_TRY(FindPayload(folder, node.payload));
  const LoadedPayload common = PROV_TRY(LoadPayloadFolder(path, pin));
  const ManifestHead& payload = common.manifest;
  const auto other = [&](std::string_view why) {
    return Fail(Code::kManifest,
                fmt::format("is not the payload that the files of the node {} were signed with{}; find out who put it "
                            "there, and take the one that bake wrote with them",
                            node.node, why),
                path);
  };
  if (payload.generation != node.generation)
    return other(fmt::format(" (generation {}, not {})", payload.generation, node.generation));
  if (payload.cluster != node.cluster)
    return other(fmt::format(" (for {}, not for {})", ClusterOf(payload), ClusterOf(node)));
  if (ToHex(Sha256(common.files.at(std::string(kManifestName)))) != node.payload.sha256) return other("");
  return CheckDigests(common.files, common.manifest, path);
}

}  // namespace

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
  PROV_TRY(CheckPayloadOfNode(folder, pin, loaded.manifest));
  return std::move(loaded.manifest);
}

}  // namespace prov::payload
