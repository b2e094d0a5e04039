#include "provisioner/reconcile/windows_proxy.h"

#include <optional>
#include <utility>

#include "images/registry/hive_format.h"
#include "images/registry/registry_key.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::reconcile {
namespace {

using egress::WinHttpProxy;

constexpr std::uint32_t kDirect = 1;
constexpr std::uint32_t kModern = 0x46, kOld = 0x3C;
constexpr std::size_t kModernRest = 32, kOldRest = 28;

// Reads the fields of both values: little-endian numbers, and texts preceded by their length.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::uint32_t> Dword() {
    if (rest_.size() < 4) return std::nullopt;
    const std::uint32_t value = images::regf::Load32(rest_, 0);
    rest_.remove_prefix(4);
    return value;
  }
  std::optional<std::string> Text() {
    const std::optional<std::uint32_t> size = Dword();
    if (!size || *size > rest_.size()) return std::nullopt;
    std::string text(rest_.substr(0, *size));
    rest_.remove_prefix(*size);
    return text;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// The fields with which both begin.
struct Head {
  std::uint32_t version = 0, counter = 0, flags = 0;
  WinHttpProxy proxy;
};

std::optional<Head> ReadHead(ByteReader& reader) {
  const auto version = reader.Dword();
  const auto counter = reader.Dword();
  const auto flags = reader.Dword();
  auto proxy = reader.Text();
  auto bypass = reader.Text();
  if (!flags || !proxy || !bypass) return std::nullopt;
  return Head{*version, *counter, *flags, {*std::move(proxy), *std::move(bypass)}};
}

void PutText(std::string& out, std::string_view text) {
  out += images::EncodeDword(static_cast<std::uint32_t>(text.size()));
  out += text;
}

std::string WriteHead(const Head& head) {
  std::string out = images::EncodeDword(head.version) + images::EncodeDword(head.counter);
  out += images::EncodeDword(head.flags);
  PutText(out, head.proxy.proxy);
  PutText(out, head.proxy.bypass);
  return out;
}

}  // namespace

std::string EncodeWinHttp(const WinHttpSettings& settings) {
  const bool direct = settings.proxy.proxy.empty();
  return WriteHead({static_cast<std::uint32_t>(settings.version), settings.counter, direct ? kDirect : settings.flags,
                    direct ? WinHttpProxy() : settings.proxy});
}

Result<WinHttpSettings> DecodeWinHttp(std::string_view bytes) {
  ByteReader reader(bytes);
  auto head = ReadHead(reader);
  const bool known = head && (head->version == static_cast<std::uint32_t>(WinHttpVersion::k18) ||
                              head->version == static_cast<std::uint32_t>(WinHttpVersion::k28));
  if (!known) return Fail(Code::kType, "is not laid out as WinHTTP's settings are", "WinHttpSettings");
  return WinHttpSettings{static_cast<WinHttpVersion>(head->version), head->counter, head->flags,
                         std::move(head->proxy)};
}

std::string EncodeWinInet(const WinInetSettings& settings) {
  std::string out = WriteHead({settings.version, settings.counter, settings.flags, settings.proxy});
  PutText(out, settings.script_url);
  return out + settings.rest;
}

Result<WinInetSettings> DecodeWinInet(std::string_view bytes) {
  ByteReader reader(bytes);
  auto head = ReadHead(reader);
  auto script = reader.Text();
  const std::size_t rest = reader.rest().size();
  const bool whole = head && script &&
                     ((head->version == kModern && rest >= kModernRest) || (head->version == kOld && rest >= kOldRest));
  if (!whole) return Fail(Code::kType, "is not laid out as WinINET's settings are", "DefaultConnectionSettings");
  return WinInetSettings{head->version,          head->counter,      head->flags,
                         std::move(head->proxy), *std::move(script), std::string(reader.rest())};
}

std::string ShowWindowsProxy(const WinHttpProxy& proxy) {
  return egress::RedactUrl(proxy.proxy) +
         (proxy.bypass.empty() ? "" : " except " + egress::RedactNoProxy(proxy.bypass, kBypassSeparators));
}

ValueParts PartsOfProxy(const WinHttpProxy& proxy) {
  return {{"proxy", Secret(proxy.proxy), ValuePart::Form::kUrl},
          {"bypass", Secret(proxy.bypass), ValuePart::Form::kList, kBypassSeparators}};
}

}  // namespace prov::reconcile
