#include "provisioner/unattend/xml_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/base/text_place.h"

namespace prov::unattend {
namespace {

constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LeBom = "\xFF\xFE";
constexpr std::string_view kUtf16BeBom = "\xFE\xFF";
constexpr std::string_view kSaveAgain = "; save it as UTF-8 or as UTF-16LE with a byte order mark";

std::size_t FindInvalidUtf16Le(std::string_view bytes) {
  const auto high = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i + 1]) & 0xFCU; };
  std::size_t i = 0;
  for (; i + 2 <= bytes.size(); i += 2) {
    if (high(i) == 0xDC) return i;
    if (high(i) != 0xD8) continue;
    if (i + 4 > bytes.size() || high(i + 2) != 0xDC) return i;
    i += 2;
  }
  return i < bytes.size() ? i : std::string_view::npos;
}

Result<std::string> DecodeUtf16Le(std::string_view bytes, std::string_view where) {
  if (auto text = FromUtf16Le(bytes)) return *std::move(text);
  const std::string before = *FromUtf16Le(bytes.substr(0, FindInvalidUtf16Le(bytes)));
  return Fail(Code::kXml, fmt::format("the file is not well-formed UTF-16{}", kSaveAgain),
              XmlPlace(where, before, before.size()));
}

Result<std::string> DecodeUtf8(std::string_view bytes, std::string_view where) {
  const std::size_t invalid = FindInvalidUtf8(bytes);
  if (invalid == std::string_view::npos) return std::string(bytes);
  return Fail(Code::kXml, fmt::format("the file is not well-formed UTF-8{}", kSaveAgain),
              XmlPlace(where, bytes.substr(0, invalid), invalid));
}

}  // namespace

Result<XmlText> DecodeXml(std::string_view bytes, std::string_view where) {
  if (bytes.size() > kXmlSizeLimit)
    return Fail(Code::kTooLarge, "the file has more than 16 MiB; is it an answer file?", std::string(where));
  if (bytes.starts_with(kUtf16BeBom) || bytes.starts_with(std::string_view("\0<", 2)) ||
      bytes.starts_with(std::string_view("<\0", 2)))
    return Fail(Code::kXml, fmt::format("the file is UTF-16BE, or UTF-16 without a byte order mark{}", kSaveAgain),
                XmlPlace(where, {}, 0));
  XmlText out;
  if (bytes.starts_with(kUtf16LeBom)) {
    out = {XmlEncoding::kUtf16Le, PROV_TRY(DecodeUtf16Le(bytes.substr(kUtf16LeBom.size()), where))};
  } else if (bytes.starts_with(kUtf8Bom)) {
    out = {XmlEncoding::kUtf8Bom, PROV_TRY(DecodeUtf8(bytes.substr(kUtf8Bom.size()), where))};
  } else {
    out = {XmlEncoding::kUtf8, PROV_TRY(DecodeUtf8(bytes, where))};
  }
  // expat would ignore a second one.
  if (!out.text.starts_with(kUtf8Bom)) return out;
  return Fail(Code::kXml, "the file begins with two byte order marks; remove one", XmlPlace(where, out.text, 0));
}

std::string EncodeXml(const XmlText& xml) {
  if (xml.encoding == XmlEncoding::kUtf16Le) return std::string(kUtf16LeBom) + ToUtf16Le(xml.text);
  return std::string(xml.encoding == XmlEncoding::kUtf8Bom ? kUtf8Bom : "") + xml.text;
}

std::string XmlPlace(std::string_view where, std::string_view text, std::size_t offset) {
  return fmt::format("{}: {}", where, DescribePlace(text, offset));
}

bool IsXmlBlank(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return IsXmlBlank(c); });
}

std::string XmlExcerpt(std::string_view text) {
  constexpr std::size_t kLimit = 60;
  if (text.size() <= kLimit) return std::string(text);
  return fmt::format("{}...", Shorten(text, kLimit));
}

}  // namespace prov::unattend
