#include "provisioner/reconcile/win_http.h"

#include "provisioner/reconcile/byte_reader.h"

namespace prov::reconcile {
namespace {

constexpr std::uint32_t kDirect = 1;
constexpr std::uint32_t kDirectAndProxy = 3;

}  // namespace

std::string EncodeWinHttp(const WinHttpSettings& settings) {
  const bool direct = settings.proxy.proxy.empty();
  std::string out = images::EncodeDword(static_cast<std::uint32_t>(settings.version));
  out += images::EncodeDword(settings.counter);
  out += images::EncodeDword(direct ? kDirect : settings.flags);
  PutText(out, settings.proxy.proxy);
  PutText(out, direct ? std::string_view() : settings.proxy.bypass);
  return out;
}

Result<WinHttpSettings> DecodeWinHttp(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto version = reader.Dword();
  const auto counter = reader.Dword();
  const auto flags = reader.Dword();
  auto proxy = reader.Text();
  auto bypass = reader.Text();
  const bool known = version == static_cast<std::uint32_t>(WinHttpVersion::k18) ||
                     version == static_cast<std::uint32_t>(WinHttpVersion::k28);
  if (!known || !counter || !flags || !proxy || !bypass) {
    return Fail(Code::kType, "is not laid out as WinHTTP's settings are", std::string(kWinHttpValue));
  }
  return WinHttpSettings{
      static_cast<WinHttpVersion>(*version), *counter, *flags, {std::move(*proxy), std::move(*bypass)}};
}

images::RegValue EncodeWinHttpValue(const egress::WinHttpProxy& proxy) {
  return {std::string(kWinHttpValue), images::RegType::kBinary,
          EncodeWinHttp({.flags = kDirectAndProxy, .proxy = proxy})};
}

}  // namespace prov::reconcile
