#include "provisioner/machine/service_account.h"

#include <algorithm>
#include <array>

#include "images/registry/hive_names.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kServiceDomain = "NT SERVICE\\";

// The accounts that every Windows has, in lower case without blanks.
struct KnownAccount {
  std::string_view name;
  std::string_view sid;
};
constexpr std::string_view kSystem = "\x01\x01\0\0\0\0\0\x05\x12\0\0\0"sv;
constexpr std::string_view kLocalService = "\x01\x01\0\0\0\0\0\x05\x13\0\0\0"sv;
constexpr std::string_view kNetworkService = "\x01\x01\0\0\0\0\0\x05\x14\0\0\0"sv;
constexpr std::array<KnownAccount, 8> kKnown = {{{"localsystem", kSystem},
                                                 {".\\localsystem", kSystem},
                                                 {"ntauthority\\localsystem", kSystem},
                                                 {"ntauthority\\system", kSystem},
                                                 {"localservice", kLocalService},
                                                 {"ntauthority\\localservice", kLocalService},
                                                 {"networkservice", kNetworkService},
                                                 {"ntauthority\\networkservice", kNetworkService}}};

Result<bool> HasOwnSid(Registry& registry, std::string_view key) {
  const auto value = PROV_TRY(registry.Read(key, "ServiceSidType"));
  return value && value->data.find_first_not_of('\0') != std::string::npos;  // unrestricted, or restricted
}

// "" if it can't be found here.
std::string SidOf(System& system, std::string_view account) {
  std::string plain = AsciiLower(account);
  std::erase(plain, ' ');
  const auto known = std::ranges::find(kKnown, plain, &KnownAccount::name);
  if (known != kKnown.end()) return std::string(known->sid);
  if (EqualsIgnoreAsciiCase(account.substr(0, kServiceDomain.size()), kServiceDomain)) {
    return ServiceSid(account.substr(kServiceDomain.size()));
  }
  return system.AccountSid(account).value_or("");
}

}  // namespace

std::string ServiceSid(std::string_view service) {
  std::string upper;
  for (const char16_t unit : images::regf::Upcase(images::regf::NameFromUtf8(service).value_or(u""))) {
    upper += static_cast<char>(unit & 0xFFU);
    upper += static_cast<char>(unit >> 8U);
  }
  return std::string("\x01\x06\0\0\0\0\0\x05\x50\0\0\0"sv) + Sha1(upper);
}

Result<ServiceReaders> ReadersOf(Registry& registry, System& system, std::string_view key, std::string_view service) {
  ServiceReaders out;
  const std::string account = PROV_TRY(ReadText(registry, key, "ObjectName"));
  if (!account.empty() && account.front() != '\\') {  // a driver's ObjectName names an object, not an account
    const std::string sid = SidOf(system, account);
    if (sid.empty()) out.unknown = account;
    if (!sid.empty() && sid != kSystem) out.sids.push_back(sid);
  }
  const std::string own = ServiceSid(service);
  const bool has_own = PROV_TRY(HasOwnSid(registry, key));
  if (has_own && std::ranges::find(out.sids, own) == out.sids.end()) out.sids.push_back(own);
  return out;
}

}  // namespace prov::machine
