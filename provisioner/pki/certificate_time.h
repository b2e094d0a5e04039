// The times that certificates hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prov::pki {

// UTCTime or GeneralizedTime (by the DER tag) as seconds since 1970. Old forms are accepted: without seconds, with a
// fraction (dropped), with an offset such as +0100. nullopt for other tags, malformed text and dates that don't exist.
// Two-digit years from 50 on are of the 20th century (RFC 5280, 4.1.2.5.1).
std::optional<std::int64_t> ParseCertificateTime(std::uint8_t tag, std::string_view content);

// "2026-01-01T00:00:00Z"; years outside 0 to 9999 (only an offset can lead there) have more digits or a sign.
std::string FormatUtc(std::int64_t unix_seconds);

}  // namespace prov::pki
