#include "provisioner/node/source_reader.h"

#include <fmt/format.h>

#include <utility>

#include "provisioner/base/folder.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/augment.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/payload/payload_reader.h"
#include "provisioner/source/aks_config_source.h"
#include "provisioner/userdata/user_data_container.h"
#include "provisioner/userdata/user_data_reader.h"

namespace prov::node {
namespace {

std::vector<std::string> SecretFiles(const payload::Manifest& manifest, const std::string& folder) {
  std::vector<std::string> out;
  for (const payload::ManifestEntry& entry : manifest.files) {
    if (entry.secret) out.push_back(folder + "/" + entry.path);
  }
  return out;
}

FileReader FollowedFiles(machine::Host& host, Shares shares = Shares::kRefused) {
  return [&host, shares](const std::string& path, std::uint64_t limit) {
    return host.installation().ReadFollowed(path, limit, shares);
  };
}

Result<SourceContent> ReadPayloadFolder(machine::Host& host, const std::string& folder, const ReadOptions& options) {
  const payload::Pin& pin = options.pin;
  const FileReader read = options.is_followed
                              ? FollowedFiles(host, pin.signers.empty() ? Shares::kRefused : Shares::kSigned)
                              : FileReader(ReadRegularFile);
  const payload::LoadedPayload loaded = PROV_TRY(payload::LoadPayloadFolder(folder, pin, read));
  payload::EgressDocument document = PROV_TRY(payload::ReadPayload(loaded, folder));
  if (pin.signers.empty() && loaded.files.contains(payload::kSignaturePath)) {
    AddInfo(document.config.findings, "signature-unchecked",
            "the payload is signed, but its signature was not checked: no signer is pinned; name one with --signer",
            fmt::format("{}/{}", folder, payload::kSignaturePath));
  }
  const auto carried = loaded.files.find(payload::kNextSignerPath);
  return SourceContent{std::move(document.config),
                       std::move(document.options),
                       document.generation,
                       true,
                       SecretFiles(loaded.manifest, folder),
                       ToHex(Sha256(loaded.files.at(std::string(payload::kManifestName)))),
                       loaded.signer ? loaded.signer->sha256 : std::string(),
                       PROV_TRY(payload::NextSignerOf(loaded, folder)),
                       loaded.manifest.cluster,
                       loaded.files.contains(payload::kSignaturePath),
                       carried == loaded.files.end() ? std::string() : carried->second};
}

// The user data that bake wrote, or their container, which is a file of its own on a node; nullopt for anything else.
Result<std::optional<SourceContent>> ReadUserData(const std::string& file, const std::string& bytes,
                                                  std::string_view name) {
  const std::optional<std::string> container =
      userdata::IsContainerName(file) ? bytes : PROV_TRY(userdata::ContainerIn(bytes, file, name));
  if (!container) return std::nullopt;
  payload::EgressDocument document = PROV_TRY(userdata::ReadContainer(*container, file));
  return SourceContent{std::move(document.config), std::move(document.options), document.generation, true, {},
                       ToHex(Sha256(bytes))};
}

Result<SourceContent> ReadAsItStands(machine::Host& host, const source::SourceSpec& spec, const ReadOptions& options) {
  source::SourceRequest request = RequestOf(host, spec, options.is_followed);
  const bool collection = options.pin.empty() && source::IsCollection(request);
  if (IsFolder(spec.source) && !collection) return ReadPayloadFolder(host, spec.source, options);
  if (!options.pin.empty()) {
    return Fail(
        options.pin.signers.empty() ? Code::kCluster : Code::kSignature,
        fmt::format("is not a payload folder, but only {} are accepted here; if it is an archive with one, unpack "
                    "it and give the folder, else make one with bake",
                    payload::Describe(options.pin)),
        spec.source);
  }
  if (!source::IsRemote(spec.source) && !collection) {
    request.document = PROV_TRY(request.ReadSelf());
    if (auto baked = PROV_TRY(ReadUserData(spec.source, *request.document, spec.selection.name)))
      return *std::move(baked);
  }
  return SourceContent{.config = PROV_TRY(source::Read(request, {host.http(), host.clock(), options.cache})),
                       .options = {},
                       .secret_files = {}};
}

}  // namespace

Result<SourceContent> ReadSource(machine::Host& host, const source::SourceSpec& spec, const ReadOptions& options) {
  SourceContent out = PROV_TRY(ReadAsItStands(host, spec, options));
  if (!spec.add_cluster_suffixes) return out;
  auto added = source::AddClusterSuffixes(out.config);
  if (added) return out;
  added.error().where = "--add-cluster-suffixes";
  return std::unexpected(std::move(added).error());
}

Result<Settings> ReadSettings(machine::Host& host, const SettingsSpec& spec, const ReadOptions& options) {
  return SettingsOf(host, PROV_TRY(ReadSource(host, spec.source, options)), spec, options);
}

Result<Settings> SettingsOf(machine::Host& host, SourceContent content, const SettingsSpec& spec,
                            const ReadOptions& options) {
  Settings out;
  out.source_digest = egress::SettingsDigest(content.config);
  if (spec.choices.augment) PROV_TRY(egress::AugmentNoProxy(content.config));
  if (content.is_payload) {
    out.generation = content.generation;
    out.payload = content.digest;
    out.signer = std::move(content.signer);
    for (const pki::Certificate& signer : options.pin.signers) out.signers.push_back(signer.sha256);
    out.next_signer = std::move(content.next_signer);
    out.cluster = std::move(content.cluster);
    out.is_signed = content.is_signed;
    out.carried_signer = std::move(content.carried_signer);
  }
  out.options = PROV_TRY(WithChoices(std::move(content.options), spec.choices,
                                     options.is_followed ? FollowedFiles(host) : FileReader(ReadFile), out.findings));
  out.config = std::move(content.config);
  // Without places and secrets: only what selects.
  out.given = SettingsSpec{{.source = {}, .selection = spec.source.selection}, spec.choices};
  out.given->source.add_cluster_suffixes = spec.source.add_cluster_suffixes;
  if (!out.options.services.empty()) out.given->choices.services = out.options.services;
  return out;
}

source::SourceRequest RequestOf(machine::Host& host, const source::SourceSpec& spec, bool is_followed) {
  source::SourceRequest out{spec};
  if (is_followed) out.read_followed = FollowedFiles(host);
  return out;
}

}  // namespace prov::node
