// Decodes the bytes of an XML file to UTF-8 text and back without loss; and small tools for XML text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::unattend {

// The encodings that Windows' tools write. All others are refused.
enum class XmlEncoding { kUtf8, kUtf8Bom, kUtf16Le };

struct XmlText {
  XmlEncoding encoding = XmlEncoding::kUtf8;
  std::string text;  // well-formed UTF-8; no byte order mark
};

inline constexpr std::size_t kXmlSizeLimit = 16U << 20U;

// Errors: too-large; xml.
Result<XmlText> DecodeXml(std::string_view bytes, std::string_view where);
// EncodeXml(*DecodeXml(x)) == x.
std::string EncodeXml(const XmlText& xml);

// "WHERE: line 3, column 7".
std::string XmlPlace(std::string_view where, std::string_view text, std::size_t offset);

inline bool IsXmlBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsXmlBlank(std::string_view text);

// The beginning of a text, shortened for messages.
std::string XmlExcerpt(std::string_view text);

}  // namespace prov::unattend
