// egress.json: the settings and the choices that a payload was baked with, as a source for later runs of this program.
// Format: docs/formats/egress-json.md.
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

// Reads it back: `MakeDesiredState(config, options)` of the result is the state that was written. `files` are a
// payload's, since egress.json names its certificates by file. Errors: json, type, version, cert, manifest (a
// certificate that is not the one named).
Result<EgressDocument> ReadEgressJson(const PayloadBytes& files, std::string_view where);

// The parts of it that other documents share, as members of the open object.
void WriteProxy(JsonWriter& json, const egress::EgressConfig& config, const reconcile::DesiredState& state);
Result<void> ReadProxy(const JsonNode& proxy, egress::EgressConfig& out);
// What WriteProxy writes for one of the three variables; nullopt: nothing.
std::optional<std::string> ProxyValue(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                                      std::string_view variable);

// Where a certificate lies in the payload: `trust/ROOT/<thumbprint>.cer`.
std::string CertificatePath(const reconcile::CertificateItem& item);

}  // namespace prov::payload
