// egress.json: the settings and the choices that a payload was baked with. Later runs of this program read it as a
// source. Format: docs/formats/egress-json.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/payload/manifest.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::payload {

// `generation` orders payloads of one source: a node refuses a lower one.
std::string EgressJson(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                       std::int64_t generation);

struct EgressDocument {
  egress::EgressConfig config;
  reconcile::DesiredOptions options;
  std::int64_t generation = 0;
};

// Reads egress.json back: `MakeDesiredState(config, options)` of the result is the state that was written. `files` are
// those of the payload, because egress.json names its certificates by file. Errors: json, type, version, cert, manifest
// (a certificate differs from the one named).
Result<EgressDocument> ReadEgressJson(const PayloadBytes& files, std::string_view where);

// The parts of egress.json that other documents share, as members of the open object.
void WriteProxy(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state);
Result<void> ReadProxy(const JsonNode& proxy, egress::EgressConfig& out);
// `registries`: the folder of hosts.toml files and the mirrors that they are made of; nothing if they are not wanted.
// ReadRegistries takes the mirrors of the object `root`; reconcile::ReadOptions the folder.
void WriteRegistries(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state);
Result<void> ReadRegistries(const JsonNode& root, egress::EgressConfig& out);
// The value that WriteProxy writes for one of the three variables; nullopt: none.
std::optional<std::string> ProxyValue(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                                      std::string_view variable);

// The path of a certificate in the payload: `trust/ROOT/<thumbprint>.cer`.
std::string CertificatePath(const reconcile::CertificateItem& item);

}  // namespace prov::payload
