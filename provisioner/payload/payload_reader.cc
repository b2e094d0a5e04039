#include "provisioner/payload/payload_reader.h"

#include <fmt/format.h>

#include <set>

#include "provisioner/payload/egress_json.h"
#include "provisioner/payload/manifest.h"
#include "provisioner/payload/payload_signature.h"

namespace prov::payload {
namespace {

constexpr std::size_t kMaxPayloadEntries = 100'000;
constexpr std::uint64_t kMostPayload = 512ULL << 20U;
std::string Join(const std::string& folder, std::string_view path) { return fmt::format("{}/{}", folder, path); }

// Refuses unlisted files before anything is read: an attacker may have added one to be run beside the others.
Result<void> CheckNames(const std::vector<FolderEntry>& entries, const Manifest& manifest, const std::string& folder) {
  std::set<std::string_view> listed = {kManifestName, kSignaturePath};
  for (const ManifestEntry& entry : manifest.files) listed.insert(entry.path);
  for (const FolderEntry& entry : entries) {
    if (entry.kind == EntryKind::kOther) {
      return Fail(Code::kManifest, "is a link or a device, which no payload holds; remove it",
                  Join(folder, entry.path));
    }
    if (entry.kind == EntryKind::kFile && !listed.contains(entry.path)) {
      return Fail(Code::kManifest, "is not in the manifest; remove it, or bake the payload again",
                  Join(folder, entry.path));
    }
  }
  return {};
}

// "" if there is no signature.
Result<std::string> LoadSignature(const std::string& folder, const FileReader& read_file) {
  auto read = read_file(Join(folder, kSignaturePath), kMostSignatureBytes);
  if (!read && read.error().code == Code::kNotFound) return std::string();
  return read;
}

// The signer, which is one of the pin's.
Result<pki::Certificate> CheckSignature(const std::string& folder, std::string_view manifest,
                                        std::string_view signature, const Pin& pin) {
  if (signature.empty()) {
    return Fail(Code::kSignature,
                fmt::format("the payload has no signature ({}), and only {} are accepted; bake --sign makes it",
                            kSignaturePath, Describe(pin)),
                folder);
  }
  std::optional<Error> first;
  for (const pki::Certificate& signer : pin.signers) {
    const auto verified = VerifySignature(manifest, signature, signer, Join(folder, kSignaturePath));
    if (verified) return signer;
    if (!first) first = verified.error();
  }
  return std::unexpected(*std::move(first));
}

Result<void> CheckCluster(const std::string& folder, const std::string& cluster, const std::string& pinned) {
  if (pinned.empty() || pinned == cluster) return {};
  return Fail(Code::kCluster,
              fmt::format("the payload is for {}, and only payloads for the cluster {} are accepted here: take the one "
                          "that was baked for it, with --for",
                          cluster.empty() ? "no cluster by name" : "the cluster " + cluster, pinned),
              folder);
}

}  // namespace

Result<LoadedPayload> LoadFolder(const std::string& folder, const FolderRules& rules, const FileReader& read_file) {
  std::vector<FolderEntry> entries = PROV_TRY(ListTree(folder, kMaxPayloadEntries));
  if (!rules.apart.empty())
    std::erase_if(entries, [&](const FolderEntry& entry) { return entry.path.starts_with(rules.apart); });
  LoadedPayload out;
  std::string& manifest_text = out.files[std::string(kManifestName)];
  auto read = read_file(Join(folder, kManifestName), kMostManifestBytes);
  if (!read && read.error().code == Code::kNotFound) {
    return Fail(Code::kNotFound,
                "the folder has no manifest.json, so it is not a payload; name one that `bake` wrote, or a file",
                folder);
  }
  manifest_text = PROV_TRY(std::move(read));
  std::string signature = PROV_TRY(LoadSignature(folder, read_file));
  if (!rules.pin.signers.empty()) out.signer = PROV_TRY(CheckSignature(folder, manifest_text, signature, rules.pin));
  if (!signature.empty()) out.files[std::string(kSignaturePath)] = std::move(signature);
  out.manifest = PROV_TRY(ParseManifest(manifest_text, Join(folder, kManifestName)));
  PROV_TRY(CheckCluster(folder, out.manifest.cluster, rules.pin.cluster));
  PROV_TRY(CheckNames(entries, out.manifest, folder));
  std::uint64_t left = kMostPayload;
  for (const ManifestEntry& entry : out.manifest.files) {
    if (entry.bytes > left)
      return Fail(Code::kTooLarge, fmt::format("the payload has more than {} bytes", kMostPayload), folder);
    left -= entry.bytes;
    auto bytes = read_file(Join(folder, entry.path), entry.bytes);
    if (!bytes && bytes.error().code != Code::kIo && bytes.error().code != Code::kOwner) {
      bytes = Fail(Code::kManifest, "is missing or not as the manifest says; bake the payload again",
                   Join(folder, entry.path));
    }
    out.files[entry.path] = PROV_TRY(std::move(bytes));
  }
  return out;
}

Result<LoadedPayload> LoadPayloadFolder(const std::string& folder, const Pin& pin, const FileReader& read_file) {
  LoadedPayload out = PROV_TRY(LoadFolder(folder, {.pin = pin}, read_file));
  if (out.manifest.node.empty()) return out;
  return Fail(Code::kManifest,
              fmt::format("holds the files of the node {}, and no payload: that is in common/ beside nodes/, and in "
                          "provisioner/ on a drive",
                          out.manifest.node),
              folder);
}

Result<EgressDocument> ReadPayload(const LoadedPayload& payload, std::string_view where) {
  PROV_TRY(CheckDigests(payload.files, payload.manifest, where));
  EgressDocument contents = PROV_TRY(ReadEgressJson(payload.files, where));
  if (contents.generation != payload.manifest.generation) {
    return Fail(Code::kManifest, "egress.json and manifest.json name different generations; bake the payload again",
                std::string(where));
  }
  return contents;
}

Result<std::optional<pki::Certificate>> NextSignerOf(const LoadedPayload& payload, std::string_view where) {
  const auto file = payload.files.find(kNextSignerPath);
  if (!payload.signer || file == payload.files.end()) return std::nullopt;
  return PROV_TRY(ReadSigner(file->second, fmt::format("{}/{}", where, kNextSignerPath)));
}

}  // namespace prov::payload
