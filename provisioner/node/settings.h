// Settings: what a source says, the choices that go with it, and the form in which a node keeps both. What is kept
// holds only the derived settings, not the rest of the source's answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/installation.h"
#include "provisioner/node/choices.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/source/source_spec.h"

namespace prov::node {

struct Settings {
  egress::EgressConfig config;
  reconcile::DesiredOptions options;
  std::optional<std::int64_t> generation;  // of a payload; other sources have none
  Findings findings;                       // of reading them
  // Of a payload that was read just now: its digest, and where its signature was checked the signer's (SHA-256 in hex,
  // of the manifest and of the certificate). "" for settings that were kept of one.
  std::string payload = {};
  std::string signer = {};
  // egress::SettingsDigest of the whole source, which what is kept of it need not have any more; "" for kept settings.
  std::string source_digest = {};
};

// Settings with what is derived from them: computed once for a run and passed on.
struct DerivedSettings {
  Settings settings;
  reconcile::DesiredState desired;
  std::string json;    // SettingsJson
  std::string digest;  // SHA-256 (hex) of it
};
// Errors: those of MakeDesiredState.
Result<DerivedSettings> Derive(Settings settings);

// Where settings are read from: the source, and what is taken of it.
struct SettingsSpec {
  source::SourceSpec source;
  Choices choices = {};

  bool operator==(const SettingsSpec&) const = default;
};
using SettingsReader = std::function<Result<Settings>(const SettingsSpec&)>;

// Whether the local files that the spec names may decide what SYSTEM does: each of its paths must be absolute, and only
// administrators may be able to write there. It refuses before anything is read or written. What is read then is
// checked again, on the handle that is read (Installation::ReadFollowed). Errors: those of Installation::CheckSource.
Result<void> CheckSourceFiles(machine::Installation& installation, const SettingsSpec& spec);

// A JSON document; the same settings give the same bytes. Holds the credentials that the choices allow to be stored.
std::string SettingsJson(const Settings& settings, const reconcile::DesiredState& state);
Result<Settings> ParseSettings(std::string_view text, std::string_view where);

// "MachineConfig rendered-worker-1", for messages.
std::string NameOf(const egress::SourceInfo& source);

}  // namespace prov::node
