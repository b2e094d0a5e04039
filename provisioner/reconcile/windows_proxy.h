// The binary values in which Windows keeps a proxy: the one of WinHTTP, and those of WinINET. Layouts:
// docs/formats/winhttp-settings.md, docs/formats/wininet-settings.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/egress/win_http_bypass.h"
#include "provisioner/reconcile/value_parts.h"

namespace prov::reconcile {

// The header word. All versions read 0x18. Newer ones may have written 0x28, which an update keeps.
enum class WinHttpVersion : std::uint8_t { k18 = 0x18, k28 = 0x28 };

// In WinHttpSettings::flags: a manual proxy is set.
inline constexpr std::uint32_t kManualProxy = 2;

struct WinHttpSettings {
  WinHttpVersion version = WinHttpVersion::k18;
  std::uint32_t counter = 0;
  std::uint32_t flags = 3;  // 1 = direct, 3 = direct and a manual proxy
  egress::WinHttpProxy proxy;

  bool operator==(const WinHttpSettings&) const = default;
};

// An empty proxy gives the "direct" form (flags 1), whatever `flags` says.
std::string EncodeWinHttp(const WinHttpSettings& settings);
// Errors: type, when the bytes are not of this layout.
Result<WinHttpSettings> DecodeWinHttp(std::string_view bytes);

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

// What stands between the entries of `bypass`: any of these characters.
inline constexpr std::string_view kBypassSeparators = "; ";

// "proxy:3128 except *.svc; <local>", without passwords. Another program's value may hold parts that our own proxies
// never have, so it is redacted as text.
std::string ShowWindowsProxy(const egress::WinHttpProxy& proxy);
// The same as data: `proxy` and `bypass`.
ValueParts PartsOfProxy(const egress::WinHttpProxy& proxy);

}  // namespace prov::reconcile
