// Reads a SOURCE, whatever it is: a document, a payload, or user data that carries one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/machine/host.h"
#include "provisioner/node/settings.h"
#include "provisioner/payload/payload.h"
#include "provisioner/payload/pin.h"
#include "provisioner/source/source.h"

namespace prov::node {

struct SourceContent {
  egress::EgressConfig config;
  reconcile::DesiredOptions options;  // those that a payload was baked with; otherwise the defaults
  std::int64_t generation = payload::kDefaultGeneration;
  bool is_payload = false;
  std::vector<std::string> secret_files;  // of a payload: full paths of the files with credentials
  std::string digest = {};                // of a payload: SHA-256 (hex) of its manifest, or of user data as a whole
  std::string signer = {};                // of a payload: SHA-256 (hex) of the certificate by which it was accepted
  std::optional<pki::Certificate> next_signer = {};  // which a payload introduces
  std::string cluster = {};                          // the only one that a payload is for
  bool is_signed = false;                            // of a payload: whether it has a signature, checked or not
  std::string carried_signer = {};                   // of a payload: its next-signer.cer, checked or not
};

struct ReadOptions {
  payload::Pin pin = {};                 // the source must be a payload that fits it
  bool is_followed = false;              // a node remembers it: only administrators may be able to write its files
  source::SourceCache* cache = nullptr;  // as in source::SourcePorts
};

// Reads a source; a remote one through the ports of `host`. Errors: those of source::Read, LoadPayloadFolder,
// ReadPayload and ReadContainer; signature, cluster; those of AddClusterSuffixes.
Result<SourceContent> ReadSource(machine::Host& host, const source::SourceSpec& spec, const ReadOptions& options = {});

// The settings that the source gives with these choices. Errors: those of ReadSource and WithChoices.
Result<Settings> ReadSettings(machine::Host& host, const SettingsSpec& spec, const ReadOptions& options);

// The settings that this content of a source gives with the choices of `spec`. Errors: those of WithChoices.
Result<Settings> SettingsOf(machine::Host& host, SourceContent content, const SettingsSpec& spec,
                            const ReadOptions& options);

// The request that reads the source as a document.
source::SourceRequest RequestOf(machine::Host& host, const source::SourceSpec& spec, bool is_followed);

}  // namespace prov::node
