#include "images/tree/wim_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "provisioner/base/text.h"

namespace prov::images::wim {
namespace {

// A part of the text: from `begin` on, before `end`.
struct Span {
  std::size_t begin = 0, end = 0;
};

std::optional<Span> ImageIn(std::string_view xml, int index) {
  const std::size_t begin = xml.find(fmt::format("<IMAGE INDEX=\"{}\"", index));
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = xml.find("</IMAGE>", begin);
  return end == std::string_view::npos ? std::nullopt : std::optional(Span{begin, end});
}

// The text of the first element of that name.
std::optional<Span> ElementIn(std::string_view xml, Span within, std::string_view name) {
  const std::string start = fmt::format("<{}>", name);
  const std::size_t begin = xml.find(start, within.begin);
  if (begin == std::string_view::npos || begin >= within.end) return std::nullopt;
  const std::size_t end = xml.find("</", begin);
  return end == std::string_view::npos ? std::nullopt : std::optional(Span{begin + start.size(), end});
}

void SetElement(std::string& xml, std::string_view within, int index, std::string_view name, const std::string& text) {
  const auto image = ImageIn(xml, index);
  if (!image) return;
  const auto outer = within.empty() ? std::optional(Span{image->begin, image->end}) : ElementIn(xml, *image, within);
  if (!outer) return;
  // An element that holds others ends later than its first `</`: the image's end bounds it.
  const auto element = ElementIn(xml, Span{outer->begin, image->end}, name);
  if (element) xml.replace(element->begin, element->end - element->begin, text);
}

void AddToNumber(std::string& xml, int index, std::string_view name, std::int64_t more) {
  const auto image = ImageIn(xml, index);
  const auto element = image ? ElementIn(xml, *image, name) : std::nullopt;
  if (!element) return;
  std::int64_t value = 0, sum = 0;
  const char* const begin = xml.data() + element->begin;
  if (std::from_chars(begin, xml.data() + element->end, value).ec != std::errc()) return;
  if (__builtin_add_overflow(value, more, &sum)) return;
  SetElement(xml, "", index, name, std::to_string(std::max<std::int64_t>(0, sum)));
}

std::string Unescaped(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!text.empty()) {
    const auto* const entity =
        std::ranges::find_if(kEntities, [&](const auto& e) { return text.starts_with(e.first); });
    out += entity == std::end(kEntities) ? text.front() : entity->second;
    text.remove_prefix(entity == std::end(kEntities) ? 1 : entity->first.size());
  }
  return out;
}

}  // namespace

std::string ImageName(std::string_view xml_utf16, int index) {
  const std::string xml = FromUtf16Le(xml_utf16).value_or("");
  const auto image = ImageIn(xml, index);
  const auto name = image ? ElementIn(xml, *image, "NAME") : std::nullopt;
  return name ? Unescaped(std::string_view(xml).substr(name->begin, name->end - name->begin)) : "";
}

std::string ChangeImage(std::string_view xml_utf16, const ImageChange& change) {
  auto xml = FromUtf16Le(xml_utf16);
  if (!xml) return std::string(xml_utf16);
  AddToNumber(*xml, change.index, "DIRCOUNT", change.folders);
  AddToNumber(*xml, change.index, "FILECOUNT", change.files);
  AddToNumber(*xml, change.index, "TOTALBYTES", change.bytes);
  const auto half = [&](unsigned shift) { return fmt::format("0x{:08X}", change.time >> shift & 0xFFFFFFFFU); };
  SetElement(*xml, "LASTMODIFICATIONTIME", change.index, "HIGHPART", half(32));
  SetElement(*xml, "LASTMODIFICATIONTIME", change.index, "LOWPART", half(0));
  return ToUtf16Le(*xml);
}

std::string SetTotalBytes(std::string_view xml_utf16, std::uint64_t bytes) {
  auto xml = FromUtf16Le(xml_utf16);
  if (!xml) return std::string(xml_utf16);
  // The images have one, too.
  const std::size_t last = xml->rfind("</IMAGE>");
  const std::size_t from = last == std::string::npos ? 0 : last;
  const auto element = ElementIn(*xml, {from, xml->size()}, "TOTALBYTES");
  if (element) xml->replace(element->begin, element->end - element->begin, std::to_string(bytes));
  return ToUtf16Le(*xml);
}

}  // namespace prov::images::wim
