// Digests that two machines compare instead of their settings: one of a source's settings, and one of its credentials.
// The digested text: docs/formats/settings-digest.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/egress/egress_config.h"

namespace prov::egress {

// SHA-256 (lower-case hex) of the meaning of the proxies, NO_PROXY and the certificates. Independent of the order of
// entries and certificates, of duplicates, of the spelling of a URL, and of entries that AugmentNoProxy() adds.
// Excludes users and passwords, so it can't confirm a guess of one. Absent and empty differ.
std::string SettingsDigest(const EgressConfig& config);

// "pbkdf2-sha256:ROUNDS:HEX" of the users and passwords of both proxy URLs, salted with `digest`, that of the same
// settings; nullopt without any. Takes some tenths of a second, on purpose.
std::optional<std::string> CredentialDigest(const EgressConfig& config, std::string_view digest);

// The same of any secret text, for digests of other settings.
std::string SlowDigest(std::string_view secret, std::string_view salt);

// Whether `text` has the form of a CredentialDigest(). Only then, a different text means different credentials.
bool IsCredentialDigest(std::string_view text);

}  // namespace prov::egress
