#include "provisioner/machine/folder_security.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "images/hive/descriptor.h"
#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

constexpr std::string_view kTrustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";

struct Ace {
  std::string_view type, rights, account;
};

struct Right {
  std::string_view name;
  std::uint32_t mask;
};

// The names that SDDL has for rights of files, directory objects and keys; Windows mixes them in what it prints.
constexpr std::array kRights = {
    Right{"GA", 0x10000000}, Right{"GR", 0x80000000}, Right{"GW", 0x40000000}, Right{"GX", 0x20000000},
    Right{"RC", 0x00020000}, Right{"SD", 0x00010000}, Right{"WD", 0x00040000}, Right{"WO", 0x00080000},
    Right{"CC", 0x00000001}, Right{"DC", 0x00000002}, Right{"LC", 0x00000004}, Right{"SW", 0x00000008},
    Right{"RP", 0x00000010}, Right{"WP", 0x00000020}, Right{"DT", 0x00000040}, Right{"LO", 0x00000080},
    Right{"CR", 0x00000100}, Right{"FA", 0x001F01FF}, Right{"FR", 0x00120089}, Right{"FW", 0x00120116},
    Right{"FX", 0x001200A0}, Right{"KA", 0x000F003F}, Right{"KR", 0x00020019}, Right{"KW", 0x00020006},
    Right{"KX", 0x00020019},
};

// FILE_GENERIC_READ, FILE_GENERIC_EXECUTE, GENERIC_READ, GENERIC_EXECUTE.
constexpr std::uint32_t kReadAndExecute = 0x001200A9 | 0x80000000 | 0x20000000;

bool IsTrusted(std::string_view account, std::string_view own_account) {
  constexpr std::array<std::string_view, 5> kTrusted = {"SY", "S-1-5-18", "BA", "S-1-5-32-544", kTrustedInstaller};
  return std::ranges::find(kTrusted, account) != kTrusted.end() || (!own_account.empty() && account == own_account);
}

// They stand for whoever makes or owns a file: here always somebody trusted.
bool StandsForOwner(std::string_view account) {
  constexpr std::array<std::string_view, 4> kOwners = {"CO", "S-1-3-0", "OW", "S-1-3-4"};
  return std::ranges::find(kOwners, account) != kOwners.end();
}

std::optional<std::uint32_t> ParseNumber(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint32_t mask = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mask, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return mask;
}

std::optional<std::uint32_t> ParseRights(std::string_view text) {
  if (!text.empty() && text.front() >= '0' && text.front() <= '9') return ParseNumber(text);
  std::uint32_t mask = 0;
  for (; !text.empty(); text.remove_prefix(2)) {
    const auto right = std::ranges::find(kRights, text.substr(0, 2), &Right::name);
    if (right == kRights.end()) return std::nullopt;
    mask |= right->mask;
  }
  return mask;
}

// nullopt: not a list of plain entries (conditions, a list that grants everything to everyone, damage).
std::optional<std::vector<Ace>> ParseDacl(std::string_view sddl) {
  if (!sddl.starts_with("D:")) return std::nullopt;
  sddl.remove_prefix(2);
  const std::string_view flags = sddl.substr(0, sddl.find('('));
  if (flags.find_first_not_of("PARI") != std::string_view::npos) return std::nullopt;
  sddl.remove_prefix(flags.size());
  std::vector<Ace> out;
  while (!sddl.empty()) {
    const std::size_t end = sddl.find(')');
    if (sddl.front() != '(' || end == std::string_view::npos) return std::nullopt;
    const std::vector<std::string_view> fields = Split(sddl.substr(1, end - 1), ';');
    if (fields.size() != 6 || fields[5].find('(') != std::string_view::npos) return std::nullopt;
    out.push_back({fields[0], fields[2], fields[5]});
    sddl.remove_prefix(end + 1);
  }
  return out;
}

std::string Advice(std::string_view where) {
  return fmt::format(
      "move it away, or give it to administrators alone (icacls \"{0}\" /setowner *S-1-5-32-544, then icacls \"{0}\" "
      "/inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F)",
      where);
}

// What speaks against it; nullopt: nothing.
std::optional<std::string> Objection(const PathFacts& facts, PathUse use, std::string_view own_account) {
  if (!IsTrusted(facts.owner, own_account)) {
    const std::string_view owner = facts.owner.empty() ? "nobody" : std::string_view(facts.owner);
    return fmt::format("belongs to {}, not to SYSTEM or Administrators", owner);
  }
  const auto aces = ParseDacl(facts.dacl);
  if (!aces) return "has a list of permissions that is missing or not understood";
  for (const Ace& ace : *aces) {
    const bool denies = ace.type == "D" || ace.type == "OD";
    if (denies || IsTrusted(ace.account, own_account) || StandsForOwner(ace.account)) continue;
    const std::string_view who = ace.account.empty() ? "somebody" : ace.account;
    if (use == PathUse::kSecrets) return fmt::format("holds secrets, and {} has rights on it", who);
    const auto mask = ParseRights(ace.rights);
    if (ace.type != "A" || !mask || (*mask & ~kReadAndExecute) != 0) return fmt::format("can be changed by {}", who);
  }
  return std::nullopt;
}

}  // namespace

Result<void> CheckPathSecurity(const PathFacts& facts, PathUse use, std::string_view where,
                               std::string_view own_account) {
  if (facts.reparse_point) {
    return Fail(Code::kOwner, "is a link or another reparse point and could lead elsewhere: remove it",
                std::string(where));
  }
  const auto objection = Objection(facts, use, own_account);
  if (!objection) return {};
  return Fail(Code::kOwner, fmt::format("{}: {}", *objection, Advice(where)), std::string(where));
}

Result<void> CheckImageSecurity(const std::optional<std::string>& descriptor, PathUse use, std::string_view where,
                                std::string_view own_account) {
  const auto text = descriptor ? images::TextOf(*descriptor) : std::nullopt;
  const auto objection = text ? Objection({false, text->owner, text->dacl}, use, own_account)
                              : std::optional<std::string>("has no security descriptor, or a damaged one");
  if (!objection) return {};
  return Fail(
      Code::kOwner,
      fmt::format("was in the image already and {}: a user of the machine that was captured can have made it, so "
                  "nothing in it is believed. Remove it from the image, then run this again",
                  *objection),
      std::string(where));
}

}  // namespace prov::machine
