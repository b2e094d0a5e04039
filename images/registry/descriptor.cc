#include "images/registry/descriptor.h"

#include <fmt/format.h>

#include <algorithm>

#include "images/registry/hive_format.h"
#include "images/registry/security.h"

namespace prov::images {
namespace {

using regf::Load32;

constexpr std::size_t kAceHeaderBytes = 4;
constexpr unsigned char kAllow = 0;
constexpr unsigned char kDeny = 1;
constexpr unsigned char kInheritOnly = 0x08;

// The account of an entry. In ACCESS_ALLOWED_ACE and its relatives it follows the access mask. "" if it does not fit.
// The object and callback forms, which registry keys don't have, are not supported.
std::string_view AccountOf(std::string_view ace) {
  constexpr std::size_t kSidAt = kAceHeaderBytes + 4;
  if (ace.size() < kSidAt + 8) return {};
  const std::size_t bytes = 8 + 4 * static_cast<std::size_t>(static_cast<unsigned char>(ace[kSidAt + 1]));
  return bytes <= ace.size() - kSidAt ? ace.substr(kSidAt, bytes) : std::string_view();  // padding may follow
}

bool IsTrusted(std::string_view sid) {
  using namespace std::string_view_literals;
  return sid == "\x01\x01\0\0\0\0\0\x05\x12\0\0\0"sv ||                                // S-1-5-18, SYSTEM
         sid == "\x01\x02\0\0\0\0\0\x05\x20\0\0\0\x20\x02\0\0"sv ||                    // S-1-5-32-544, Administrators
         sid == "\x01\x01\0\0\0\0\0\x03\0\0\0\0"sv ||                                  // S-1-3-0, CREATOR OWNER
         (sid.size() == 32 && sid.starts_with("\x01\x06\0\0\0\0\0\x05\x50\0\0\0"sv));  // S-1-5-80-…: one service
}

// The entries of the DACL; nullopt if there is none, or if the descriptor is malformed.
std::optional<std::vector<std::string_view>> DaclEntries(std::string_view descriptor) {
  const auto parts = ReadParts(descriptor);
  return parts && !parts->dacl.empty() ? std::optional(EntriesOf(parts->dacl)) : std::nullopt;
}

bool MayStay(std::string_view ace, const Sids& others) {
  const auto kind = static_cast<unsigned char>(ace.front());
  const std::string_view account = AccountOf(ace);
  return kind == kDeny ||
         (kind == kAllow && (IsTrusted(account) || std::ranges::find(others, account) != others.end()));
}

bool IsReadGrant(std::string_view ace, std::string_view sid) {
  const bool for_the_key = (static_cast<unsigned char>(ace[1]) & kInheritOnly) == 0;
  return static_cast<unsigned char>(ace.front()) == kAllow && for_the_key && AccountOf(ace) == sid &&
         (Load32(ace, kAceHeaderBytes) & Grant::kKeyRead) == Grant::kKeyRead;
}

std::string AceText(std::string_view ace) {
  const auto kind = static_cast<unsigned char>(ace.front());
  const std::string_view account = AccountOf(ace);
  if (kind > kDeny || account.empty()) return "(?;;;;;)";
  return fmt::format("({};;{:#x};;;{})", kind == kAllow ? 'A' : 'D', Load32(ace, kAceHeaderBytes), SidText(account));
}

}  // namespace

std::string SidText(std::string_view sid) {
  if (sid.empty()) return {};
  std::uint64_t authority = 0;
  for (const char byte : sid.substr(2, 6)) authority = authority << 8U | static_cast<unsigned char>(byte);
  std::string out = fmt::format("S-1-{}", authority);
  for (std::size_t at = 8; at < sid.size(); at += 4) out += fmt::format("-{}", Load32(sid, at));
  return out;
}

bool IsForAdministratorsOnly(std::string_view descriptor, const Sids& others) {
  const auto entries = DaclEntries(descriptor);
  return entries && std::ranges::all_of(*entries, [&](std::string_view ace) { return MayStay(ace, others); });
}

Sids OthersGranted(std::string_view descriptor) {
  Sids out;
  for (const std::string_view ace : DaclEntries(descriptor).value_or(std::vector<std::string_view>())) {
    const std::string_view account = AccountOf(ace);
    if (account.empty() || MayStay(ace, out)) continue;
    out.emplace_back(account);
  }
  return out;
}

bool GrantsRead(std::string_view descriptor, std::string_view sid) {
  const auto entries = DaclEntries(descriptor);
  return entries && std::ranges::any_of(*entries, [&](std::string_view ace) { return IsReadGrant(ace, sid); });
}

std::optional<DescriptorText> TextOf(std::string_view descriptor) {
  const auto parts = ReadParts(descriptor);
  if (!parts) return std::nullopt;
  DescriptorText out{SidText(parts->owner), ""};
  if (parts->dacl.empty()) return out;
  out.dacl = "D:";
  for (const std::string_view ace : EntriesOf(parts->dacl)) out.dacl += AceText(ace);
  return out;
}

std::string ForAdministratorsOnly(std::string_view descriptor, const Sids& readers) {
  const auto parts = ReadParts(descriptor);
  if (!parts || parts->dacl.empty()) {
    std::string ours = SystemAdminsDescriptor();
    return readers.empty() ? ours : ForAdministratorsOnly(ours, readers);
  }
  std::vector<std::string> kept;
  for (const std::string_view ace : EntriesOf(parts->dacl)) {
    if (MayStay(ace, readers)) kept.emplace_back(ace);
  }
  for (const std::string& reader : readers) {
    const bool reads = std::ranges::any_of(kept, [&](const std::string& ace) { return IsReadGrant(ace, reader); });
    if (!reads) kept.push_back(AllowAce(reader, Grant::kSubkeysInherit, Grant::kKeyRead));
  }
  const std::string acl = MakeAcl(kept);
  DescriptorParts closed = *parts;
  closed.control |= DescriptorParts::kDaclPresent | DescriptorParts::kDaclProtected;
  closed.dacl = acl;
  std::string out = WriteParts(closed);
  out[1] = descriptor[1];  // for the resource manager
  return out;
}

}  // namespace prov::images
