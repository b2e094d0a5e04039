// Item: the machine's WinHTTP proxy, one REG_BINARY value in the 64-bit and the 32-bit view. Layout:
// docs/formats/winhttp-settings.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/win_http_bypass.h"

namespace prov::reconcile {

// Below `SOFTWARE`; the 64-bit view first.
inline constexpr std::array<std::string_view, 2> kWinHttpKeys = {
    R"(Microsoft\Windows\CurrentVersion\Internet Settings\Connections)",
    R"(WOW6432Node\Microsoft\Windows\CurrentVersion\Internet Settings\Connections)"};
inline constexpr std::string_view kWinHttpValue = "WinHttpSettings";

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

images::RegValue EncodeWinHttpValue(const egress::WinHttpProxy& proxy);

}  // namespace prov::reconcile
