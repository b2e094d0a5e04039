#include "provisioner/base/path_security.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"

namespace prov {
namespace {

constexpr std::string_view kTrustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";

struct Ace {
  std::string_view type, flags, rights, account;
};

struct Right {
  std::string_view name;
  std::uint32_t mask;
};

// SDDL's names for rights of files, directory objects and keys. Windows mixes them in its output.
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

// The rights to add to a folder, and to change its attributes: FILE_ADD_FILE, FILE_ADD_SUBDIRECTORY, FILE_WRITE_EA,
// FILE_WRITE_ATTRIBUTES and GENERIC_WRITE, which includes these.
constexpr std::uint32_t kAdd = 0x00000002 | 0x00000004 | 0x00000010 | 0x00000100 | 0x40000000;
constexpr std::uint32_t kDelete = 0x00010000;

constexpr std::uint32_t HarmlessFor(PathUse use) {
  switch (use) {
    case PathUse::kPassage:
      return kReadAndExecute | kAdd;
    case PathUse::kVolume:
      return kReadAndExecute | kAdd | kDelete;
    default:
      return kReadAndExecute;
  }
}

bool IsPassed(PathUse use) { return use == PathUse::kPassage || use == PathUse::kVolume; }

// Whether the entry applies only to objects that will be made in the folder, not to the folder itself.
bool IsInheritOnly(std::string_view flags) {
  for (; flags.size() >= 2; flags.remove_prefix(2)) {
    if (flags.starts_with("IO")) return true;
  }
  return false;
}

struct Account {
  std::string_view sddl, sid, name;
};

// The common accounts, with the names that administrators know.
constexpr std::array kAccounts = {
    Account{"WD", "S-1-1-0", "Everyone"},         Account{"AU", "S-1-5-11", "Authenticated Users"},
    Account{"IU", "S-1-5-4", "INTERACTIVE"},      Account{"NU", "S-1-5-2", "NETWORK"},
    Account{"SU", "S-1-5-6", "SERVICE"},          Account{"AN", "S-1-5-7", "ANONYMOUS LOGON"},
    Account{"LS", "S-1-5-19", "LOCAL SERVICE"},   Account{"NS", "S-1-5-20", "NETWORK SERVICE"},
    Account{"BU", "S-1-5-32-545", "Users"},       Account{"BG", "S-1-5-32-546", "Guests"},
    Account{"PU", "S-1-5-32-547", "Power Users"},
};

// The account as icacls accepts it: "*S-1-1-0", or its two letters if their SID depends on the machine.
std::string ForIcacls(std::string_view account) {
  const auto known = std::ranges::find(kAccounts, account, &Account::sddl);
  if (known != kAccounts.end()) return fmt::format("*{}", known->sid);
  return account.starts_with("S-1-") ? fmt::format("*{}", account) : fmt::format("<{}>", account);
}

// "Everyone (S-1-1-0)".
std::string NameOf(std::string_view account) {
  for (const Account& known : kAccounts) {
    if (account == known.sddl || account == known.sid) return fmt::format("{} ({})", known.name, known.sid);
  }
  return account.empty() ? "somebody" : std::string(account);
}

bool IsTrusted(std::string_view account, std::string_view own_account) {
  constexpr std::array<std::string_view, 5> kTrusted = {"SY", "S-1-5-18", "BA", "S-1-5-32-544", kTrustedInstaller};
  return std::ranges::find(kTrusted, account) != kTrusted.end() || (!own_account.empty() && account == own_account);
}

// Whether the account stands for whoever makes or owns a file. The owner was checked before, so it is trusted here.
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

// nullopt: the list has other than plain entries (conditions), grants everything to everyone, or is damaged.
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
    out.push_back({fields[0], fields[1], fields[2], fields[5]});
    sddl.remove_prefix(end + 1);
  }
  return out;
}

struct Objection {
  std::string text;
  std::string account = {};  // the account that has too many rights, in SDDL; "": the owner or the list itself is wrong
};

// `account` as in Objection.
std::string Advice(std::string_view where, const PathFacts& facts, PathUse use, std::string_view account) {
  const bool shared = IsPassed(use) && !account.empty();
  if (shared) {  // others may own the folder, so only the one right is removed
    return fmt::format(
        "use a folder that only administrators can change, or take that right away (icacls "
        "\"{0}\" /inheritance:d, then icacls \"{0}\" /remove:g {1})",
        where, ForIcacls(account));
  }
  if (IsPassed(use)) {
    return fmt::format(
        "use a folder that only administrators can change, or give this one to them (icacls "
        "\"{0}\" /setowner *S-1-5-32-544)",
        where);
  }
  const std::string_view below = use == PathUse::kFollowed && !facts.folder ? "" : "(OI)(CI)";
  return fmt::format(
      "move it away, or give it to administrators alone (icacls \"{0}\" /setowner *S-1-5-32-544, then icacls \"{0}\" "
      "/inheritance:r /grant:r *S-1-5-18:{1}F *S-1-5-32-544:{1}F)",
      where, below);
}

Objection ObjectionTo(const Ace& ace, PathUse use) {
  const std::string who = NameOf(ace.account);
  std::string account(ace.account);
  if (use == PathUse::kSecrets) {
    return {fmt::format("holds secrets, and {} has rights on it", who), std::move(account)};
  }
  if (IsPassed(use)) {
    return {fmt::format("lets {} remove it or what is below it", who), std::move(account)};
  }
  return {fmt::format("can be changed by {}", who), std::move(account)};
}

// Why the path is refused; nullopt: it passes.
std::optional<Objection> ObjectionTo(const PathFacts& facts, PathUse use, std::string_view own_account) {
  if (!IsTrusted(facts.owner, own_account)) {
    const std::string owner = facts.owner.empty() ? "nobody" : NameOf(facts.owner);
    return Objection{fmt::format("belongs to {}, not to SYSTEM or Administrators", owner)};
  }
  const auto aces = ParseDacl(facts.dacl);
  if (!aces) return Objection{"has a list of permissions that is missing or not understood"};
  for (const Ace& ace : *aces) {
    const bool denies = ace.type == "D" || ace.type == "OD";
    if (denies || IsTrusted(ace.account, own_account) || StandsForOwner(ace.account)) continue;
    if (IsPassed(use) && IsInheritOnly(ace.flags)) continue;
    const auto mask = ParseRights(ace.rights);
    const bool harmless = ace.type == "A" && mask && (*mask & ~HarmlessFor(use)) == 0;
    if (!harmless || use == PathUse::kSecrets) return ObjectionTo(ace, use);
  }
  return std::nullopt;
}

}  // namespace

std::unexpected<Error> RefuseShare(std::string_view where) {
  return Fail(
      Code::kOwner,
      "is on a share, and who can change it there is known only to the share's server: copy it to this machine, "
      "or, if it is a payload, sign it and pin the signer (--signer)",
      std::string(where));
}

std::optional<std::string> WhyUntrusted(const PathFacts& facts, PathUse use, std::string_view own_account) {
  auto objection = ObjectionTo(facts, use, own_account);
  if (!objection) return std::nullopt;
  return std::move(objection->text);
}

Result<void> CheckPathSecurity(const PathFacts& facts, PathUse use, std::string_view where,
                               std::string_view own_account) {
  if (facts.reparse_point) {
    return Fail(Code::kOwner, "is a link or another reparse point and could lead elsewhere: remove it",
                std::string(where));
  }
  if (facts.on_share) return RefuseShare(where);
  const auto objection = ObjectionTo(facts, use, own_account);
  if (!objection) return {};
  return Fail(Code::kOwner, fmt::format("{}: {}", objection->text, Advice(where, facts, use, objection->account)),
              std::string(where));
}

}  // namespace prov
