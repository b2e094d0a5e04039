// Item: the machine-wide WinINET proxy: a policy that overrides the users' own settings, and the settings in the 64-bit
// and the 32-bit view. .NET Framework and PowerShell 5.1 read them. Layout: docs/formats/wininet-settings.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/win_http_bypass.h"

namespace prov::reconcile {

// One of its registry values.
struct WinInetPlace {
  std::string item;   // "64:ProxyServer", "policy": identifies it in the ledger
  std::string label;  // "64-bit ProxyServer", for people
  std::string key;    // below `SOFTWARE`
  std::string_view value;
  bool wow = false;  // in the 32-bit view, which not every machine has
};

// All of its values. The policy comes last: the others have no effect without it.
const std::vector<WinInetPlace>& WinInetPlaces();

// The binary values `DefaultConnectionSettings` and `SavedLegacySettings`.
struct WinInetSettings {
  static constexpr std::uint32_t kDirect = 1, kManual = 2, kScript = 4, kDetect = 8;

  std::uint32_t version = 0x46;  // older versions write 0x3C; an update keeps what the machine has
  std::uint32_t counter = 1;     // goes up with each change
  std::uint32_t flags = kDirect | kManual;
  egress::WinHttpProxy proxy = {};  // WinINET's lists have WinHTTP's form
  std::string script_url = {};      // kept on an update; has no effect without its flag
  std::string rest = std::string(32, '\0');

  bool operator==(const WinInetSettings&) const = default;
};

std::string EncodeWinInet(const WinInetSettings& settings);
// Errors: type, when the bytes are not of this layout.
Result<WinInetSettings> DecodeWinInet(std::string_view bytes);

// The wanted value of `place`. `now` is the present value, which may be absent; its counter and the settings that are
// not ours are kept.
images::RegValue EncodeWinInetValue(const WinInetPlace& place, const egress::WinHttpProxy& proxy,
                                    const std::optional<images::RegValue>& now);

// Whether two values of `place` mean the same: the proxy, the exceptions and what is switched on.
bool SameWinInet(const WinInetPlace& place, const images::RegValue& a, const images::RegValue& b);

// For people, without passwords.
std::string ShowWinInet(const WinInetPlace& place, const images::RegValue& value);

}  // namespace prov::reconcile
