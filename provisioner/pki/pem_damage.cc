#include "provisioner/pki/pem_damage.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "provisioner/base/text.h"
#include "provisioner/pki/pem_text.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWord = "CERTIFICATE";
constexpr std::size_t kLongestGap = 8;  // blanks between the words of a marker

// What keyboards, word processors and web pages make of a dash. The single bytes are those of Windows-1252.
constexpr std::array kDashLikes = {"-"sv,
                                   "\xE2\x80\x90"sv,
                                   "\xE2\x80\x91"sv,
                                   "\xE2\x80\x92"sv,
                                   "\xE2\x80\x93"sv,
                                   "\xE2\x80\x94"sv,
                                   "\xE2\x80\x95"sv,
                                   "\xE2\x88\x92"sv,
                                   "\xC2\xAD"sv,
                                   "\xEF\xBC\x8D"sv,
                                   "\x96"sv,
                                   "\x97"sv};

bool StartsWithDash(std::string_view text) {
  return std::any_of(kDashLikes.begin(), kDashLikes.end(),
                     [&](std::string_view dash) { return text.starts_with(dash); });
}
bool EndsWithDash(std::string_view text) {
  return std::any_of(kDashLikes.begin(), kDashLikes.end(), [&](std::string_view dash) { return text.ends_with(dash); });
}

void DropBlanksBefore(std::string_view& text) {
  for (std::size_t i = 0; i < kLongestGap; ++i) text.remove_prefix(BlankLength(text));
}

void DropBlanksBehind(std::string_view& text) {
  for (std::size_t i = 0; i < kLongestGap; ++i) {
    if (text.ends_with(' ') || text.ends_with('\t')) {
      text.remove_suffix(1);
    } else if (text.ends_with("\xC2\xA0"sv)) {
      text.remove_suffix(2);
    } else {
      return;
    }
  }
}

bool DropWordBehind(std::string_view& text, std::string_view word) {
  if (text.size() < word.size() || !EqualsIgnoreAsciiCase(text.substr(text.size() - word.size()), word)) return false;
  text.remove_suffix(word.size());
  return true;
}

// Whether the CERTIFICATE at `at` is the label of a marker that lost its shape.
bool IsMarkerRemnant(std::string_view line, std::size_t at) {
  std::string_view before = line.substr(0, at);
  DropBlanksBehind(before);
  if (DropWordBehind(before, "X509") || DropWordBehind(before, "TRUSTED")) DropBlanksBehind(before);
  if (!DropWordBehind(before, "BEGIN") && !DropWordBehind(before, "END")) return false;
  std::string_view after = line.substr(at + kWord.size());
  DropBlanksBefore(after);
  DropBlanksBehind(before);
  const bool alone = before.empty() && after.empty();
  return alone || EndsWithDash(before) || StartsWithDash(after);
}

std::optional<std::size_t> FindMarkerRemnant(std::string_view line) {
  for (std::size_t at = line.find_first_of("Cc"); at != std::string_view::npos; at = line.find_first_of("Cc", at + 1)) {
    if (line.size() - at < kWord.size()) return std::nullopt;
    if (EqualsIgnoreAsciiCase(line.substr(at, kWord.size()), kWord) && IsMarkerRemnant(line, at)) return at;
  }
  return std::nullopt;
}

// A line that ends inside the keyword of its marker, as the last one of a file that was cut.
bool IsCutMarker(std::string_view line) {
  if (!line.starts_with("-----")) return false;
  line.remove_prefix(std::min(line.find_first_not_of('-'), line.size()));
  DropBlanksBehind(line);
  return !line.empty() && ("BEGIN"sv.starts_with(line) || "END"sv.starts_with(line));
}

// Long, and of the mixture that random bytes have: so neither a digest in hex nor a line of ornaments.
bool IsBase64Word(std::string_view word) {
  constexpr std::size_t kLong = 60;
  while (word.ends_with('=')) word.remove_suffix(1);
  if (word.size() < kLong) return false;
  bool upper = false;
  bool lower = false;
  bool digit = false;
  bool beyond_hex = false;
  for (const char c : word) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_lower = c >= 'a' && c <= 'z';
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_upper && !is_lower && !is_digit && c != '+' && c != '/') return false;
    upper = upper || is_upper;
    lower = lower || is_lower;
    digit = digit || is_digit;
    beyond_hex = beyond_hex || (is_upper && c > 'F') || (is_lower && c > 'f') || c == '+' || c == '/';
  }
  return upper && lower && digit && beyond_hex;
}

std::optional<std::size_t> FindBase64Word(std::string_view line) {
  constexpr std::string_view kBetween = " \t\"',;()<>";
  std::size_t at = line.find_first_not_of(kBetween);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    if (IsBase64Word(line.substr(at, end - at))) return at;
    at = line.find_first_not_of(kBetween, end);
  }
  return std::nullopt;
}

}  // namespace

std::optional<PemFault> FindPemDamage(std::string_view line) {
  if (const auto at = FindMarkerRemnant(line)) {
    return PemFault{*at,
                    "this looks like a BEGIN or END line that is damaged: it must read -----BEGIN CERTIFICATE----- "
                    "with five hyphens on "
                    "either side"};
  }
  if (IsCutMarker(line)) return PemFault{0, "a BEGIN or END line is cut short"};
  if (const auto at = FindBase64Word(line)) {
    return PemFault{*at, "base64 stands outside of any BEGIN and END lines: a certificate lost them"};
  }
  return std::nullopt;
}

}  // namespace prov::pki
