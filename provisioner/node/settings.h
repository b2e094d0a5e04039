// Settings: what a source says, together with the choices, and the form in which a node keeps both. A node keeps only
// the derived settings, not the rest of the source's answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/installation.h"
#include "provisioner/node/choices.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/source/source_spec.h"

namespace prov::node {

// Where settings are read from, and which of them are taken.
struct SettingsSpec {
  source::SourceSpec source;
  Choices choices = {};

  bool operator==(const SettingsSpec&) const = default;
};

struct Settings {
  egress::EgressConfig config;
  reconcile::DesiredOptions options;
  std::optional<std::int64_t> generation;  // of a payload; nullopt for other sources
  Findings findings;                       // of the choices; those of the source are in `config`
  // For a payload that was read just now, SHA-256 in hex: of its manifest and, if its signature was checked, of the
  // signer's certificate. "" for kept settings.
  std::string payload = {};
  std::string signer = {};
  // The signers that were accepted when it was read, in the order of the pin; and the one that the payload introduces.
  std::vector<std::string> signers = {};
  std::optional<pki::Certificate> next_signer = {};
  std::string cluster = {};  // the only one that the payload is for; "": for any
  // Of a payload that was read just now, checked or not: whether it has a signature, and its next-signer.cer or "".
  bool is_signed = false;
  std::string carried_signer = {};
  // egress::SettingsDigest of the whole source, which kept settings need not have any more; "" for kept settings.
  std::string source_digest = {};
  // The options that chose these settings, with the services in effect; nullopt for kept settings.
  std::optional<SettingsSpec> given = {};
};

// Settings and the desired state derived from them: computed once for a run and passed on.
struct DerivedSettings {
  Settings settings;
  reconcile::DesiredState desired;
  std::string json;    // SettingsJson
  std::string digest;  // SHA-256 (hex) of it
};
// Errors: those of MakeDesiredState.
Result<DerivedSettings> Derive(Settings settings);

using SettingsReader = std::function<Result<Settings>(const SettingsSpec&)>;

// Checks that the local files that the spec names may decide what SYSTEM does: each path must be absolute, and only
// administrators may be able to write there. Fails before anything is read or written. The files are checked again on
// the handles that they are read from (Installation::ReadFollowed). Errors: those of Installation::CheckSource.
Result<void> CheckSourceFiles(machine::Installation& installation, const SettingsSpec& spec);

// A JSON document; the same settings give the same bytes. Holds the credentials that the choices allow to store.
std::string SettingsJson(const Settings& settings, const reconcile::DesiredState& state);
Result<Settings> ParseSettings(std::string_view text, std::string_view where);

// "MachineConfig rendered-worker-1", for messages.
std::string NameOf(const egress::SourceInfo& source);

}  // namespace prov::node
