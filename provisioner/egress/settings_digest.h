// Digests that two machines compare instead of their settings: one of what a source says, and one of its credentials.
// The digested text: docs/formats/settings-digest.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/egress/egress_config.h"

namespace prov::egress {

// SHA-256 (lower-case hex) of the proxies, NO_PROXY and the certificates. Only what they mean counts: not the order of
// entries or certificates, nor duplicates, nor how a URL is spelt, nor entries that AugmentNoProxy() adds. Users and
// passwords are left out, so it tells nobody whether a guess of one is right. Absent and empty differ.
std::string SettingsDigest(const EgressConfig& config);

// "pbkdf2-sha256:ROUNDS:HEX" of the users and passwords of both proxy URLs, salted with `digest`, that of the same
// settings; nullopt: there are none. It takes some tenths of a second, on purpose.
std::optional<std::string> CredentialDigest(const EgressConfig& config, std::string_view digest);

// Whether `text` has the form of a CredentialDigest(). Only then does a different text mean different credentials.
bool IsCredentialDigest(std::string_view text);

}  // namespace prov::egress
