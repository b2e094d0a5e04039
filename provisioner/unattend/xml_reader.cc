#include "provisioner/unattend/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::unattend {
namespace {

constexpr std::string_view kXmlUri = "http://www.w3.org/XML/1998/namespace";
constexpr std::string_view kXmlnsUri = "http://www.w3.org/2000/xmlns/";

std::string_view Between(std::string_view text, std::size_t begin, std::size_t end) {
  return text.substr(begin, end - begin);
}

// Whether an attribute declares a namespace, and for which prefix.
std::optional<std::string_view> Declares(std::string_view prefix, std::string_view local) {
  if (prefix == "xmlns") return local;
  if (prefix.empty() && local == "xmlns") return "";
  return std::nullopt;
}

}  // namespace

std::unexpected<Error> XmlReader::Refuse(std::size_t offset, std::string_view message) const {
  return Fail(Code::kXml, std::string(message), XmlPlace(where_, text_, offset));
}

bool XmlReader::Accept(std::string_view token) {
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool XmlReader::SkipBlanks() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && IsXmlBlank(text_[at_])) ++at_;
  return at_ > begin;
}

Result<XmlEvent> XmlReader::Next() {
  if (close_pending_) {
    close_pending_ = false;
    Close();
    return XmlEvent{.kind = XmlEvent::Kind::kEnd, .begin = at_, .end = at_};
  }
  if (at_ == text_.size()) return Finish();
  return text_[at_] == '<' ? ReadMarkup() : ReadText();
}

Result<XmlEvent> XmlReader::Finish() const {
  if (!open_.empty())
    return Refuse(at_, fmt::format("the file ends inside of <{}>; is it complete?", XmlExcerpt(open_.back().name)));
  if (!root_seen_) return Refuse(at_, "the file holds no element; is it an answer file?");
  return XmlEvent{.kind = XmlEvent::Kind::kFinished, .begin = at_, .end = at_};
}

Result<XmlEvent> XmlReader::ReadMarkup() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("<!--")) return ReadComment();
  if (rest.starts_with("<?")) return ReadInstruction();
  if (rest.starts_with("</")) return ReadEnd();
  if (rest.starts_with("<![CDATA[") && !open_.empty()) return ReadDelimited(XmlEvent::Kind::kText, 9, "]]>");
  if (rest.starts_with("<!DOCTYPE"))
    return Refuse(at_, "the file has a DOCTYPE, which can declare entities; remove it, an answer file needs none");
  if (rest.starts_with("<!")) return Refuse(at_, "a <! that begins no comment and no CDATA section; remove it");
  return ReadStart();
}

Result<XmlEvent> XmlReader::ReadText() {
  const std::size_t begin = at_;
  at_ = std::min(text_.find('<', begin), text_.size());
  const std::string_view raw = Between(text_, begin, at_);
  if (open_.empty() && !IsXmlBlank(raw))
    return Refuse(begin + raw.find_first_not_of(" \t\r\n"), "text outside of the root element; remove it");
  if (const std::size_t close = raw.find("]]>"); close != std::string_view::npos)
    return Refuse(begin + close, "]]> in text; write ]]&gt;");
  PROV_TRY(CheckReferences(raw, begin));
  return XmlEvent{.kind = XmlEvent::Kind::kText, .begin = begin, .end = at_, .raw = raw};
}

Result<XmlEvent> XmlReader::ReadDelimited(XmlEvent::Kind kind, std::size_t opening, std::string_view closing) {
  const std::size_t begin = at_;
  const std::size_t close = text_.find(closing, begin + opening);
  if (close == std::string_view::npos)
    return Refuse(begin, fmt::format("the {} that ends this part is missing; is the file complete?", closing));
  at_ = close + closing.size();
  const std::string_view raw = Between(text_, begin + opening, close);
  return XmlEvent{.kind = kind, .begin = begin, .end = at_, .raw = raw, .cdata = kind == XmlEvent::Kind::kText};
}

Result<XmlEvent> XmlReader::ReadComment() {
  const XmlEvent event = PROV_TRY(ReadDelimited(XmlEvent::Kind::kOther, 4, "-->"));
  const std::size_t dashes = event.raw.find("--");
  if (dashes != std::string_view::npos) return Refuse(event.begin + 4 + dashes, "-- inside of a comment; remove it");
  if (event.raw.ends_with('-')) return Refuse(event.end - 4, "a comment ends with --->; write -->");
  return event;
}

Result<XmlEvent> XmlReader::ReadInstruction() {
  const XmlEvent event = PROV_TRY(ReadDelimited(XmlEvent::Kind::kOther, 2, "?>"));
  const std::size_t length = XmlNameLength(event.raw);
  const std::string_view target = event.raw.substr(0, length);
  const std::string_view inside = event.raw.substr(length);
  if (target.empty() || !(inside.empty() || IsXmlBlank(inside.front())))
    return Refuse(event.begin, "a processing instruction without a proper name; correct it");
  if (target == "xml" && event.begin == 0) {
    PROV_TRY(CheckDeclaration(inside, event.begin + 2 + length));
  } else if (EqualsIgnoreAsciiCase(target, "xml")) {
    return Refuse(event.begin, "an XML declaration that is not the very start of the file; remove what precedes it");
  }
  return event;
}

Result<void> XmlReader::CheckDeclaration(std::string_view inside, std::size_t begin) {
  // The attributes of a declaration are read as those of a tag; `at_` goes on behind it.
  const std::size_t end = at_;
  std::vector<AttributeText> found;
  at_ = begin;
  while (at_ < begin + inside.size()) {
    const bool blanks = SkipBlanks();
    if (at_ == begin + inside.size()) break;
    if (!blanks) return Refuse(at_, "the XML declaration is malformed; it needs a blank here");
    found.push_back(PROV_TRY(ReadAttribute()));
  }
  at_ = end;
  auto next = found.begin();
  const auto value = [&](std::string_view name) -> std::optional<std::string_view> {
    if (next == found.end() || next->local != name || !next->prefix.empty()) return std::nullopt;
    return (next++)->raw;
  };
  const auto version = value("version");
  const auto encoding = value("encoding");
  const auto standalone = value("standalone");
  if (!version || next != found.end() || (standalone && *standalone != "yes" && *standalone != "no"))
    return Refuse(begin, "the XML declaration is malformed; write <?xml version=\"1.0\" encoding=\"utf-8\"?>");
  if (*version != "1.0") return Refuse(begin, "the file is not XML 1.0, which answer files are");
  const std::string_view real = xml_.encoding == XmlEncoding::kUtf16Le ? "utf-16" : "utf-8";
  if (encoding && !EqualsIgnoreAsciiCase(XmlExcerpt(*encoding), real))
    return Refuse(begin, fmt::format("the file declares the encoding \"{}\" and its bytes are read as {}; declare "
                                     "that, or save the file as UTF-8 and declare utf-8",
                                     XmlExcerpt(*encoding), real));
  return {};
}

Result<void> XmlReader::CheckReferences(std::string_view raw, std::size_t begin) const {
  std::size_t at = raw.find('&');
  for (; at != std::string_view::npos; at = raw.find('&', at + 1)) {
    const std::size_t end = raw.find(';', at);
    if (end == std::string_view::npos || XmlReference(Between(raw, at + 1, end)).empty())
      return Refuse(begin + at, "a reference that XML does not predefine; write a plain & as &amp;");
  }
  return {};
}

Result<std::string_view> XmlReader::ReadName(std::string_view what) {
  const std::size_t length = XmlNameLength(text_.substr(at_));
  if (length == 0) return Refuse(at_, fmt::format("{} is expected here; write a plain < as &lt;", what));
  at_ += length;
  return text_.substr(at_ - length, length);
}

Result<void> XmlReader::ReadQualifiedName(std::string_view& prefix, std::string_view& local) {
  prefix = {};
  local = PROV_TRY(ReadName("a name"));
  if (!Accept(":")) return {};
  prefix = local;
  local = PROV_TRY(ReadName("a name behind the colon"));
  if (at_ < text_.size() && text_[at_] == ':') return Refuse(at_, "a name with two colons; correct it");
  return {};
}

Result<XmlReader::AttributeText> XmlReader::ReadAttribute() {
  AttributeText out{.prefix = {}, .local = {}, .raw = {}, .begin = at_};
  PROV_TRY(ReadQualifiedName(out.prefix, out.local));
  SkipBlanks();
  if (!Accept("="))
    return Refuse(at_, fmt::format("the attribute {} has no value; add =\"...\"", XmlExcerpt(out.local)));
  SkipBlanks();
  const char quote = at_ < text_.size() ? text_[at_] : '\0';
  if (quote != '"' && quote != '\'') return Refuse(at_, "the value of an attribute must be in quotes; add them");
  const std::size_t begin = at_ + 1;
  const std::size_t end = text_.find(quote, begin);
  if (end == std::string_view::npos) return Refuse(at_, "the closing quote is missing; is the file complete?");
  out.raw = Between(text_, begin, end);
  if (const std::size_t less = out.raw.find('<'); less != std::string_view::npos)
    return Refuse(begin + less, "a < in the value of an attribute; write &lt;");
  PROV_TRY(CheckReferences(out.raw, begin));
  at_ = end + 1;
  return out;
}

Result<bool> XmlReader::ReadAttributes() {
  attributes_.clear();
  for (;;) {
    const bool blanks = SkipBlanks();
    if (Accept(">")) return false;
    if (Accept("/>")) return true;
    if (!blanks) return Refuse(at_, "the tag is malformed here; is a blank, a quote or its end missing?");
    if (attributes_.size() == kAttributeLimit)
      return Refuse(at_, fmt::format("more than {} attributes of one element; is it an answer file?", kAttributeLimit));
    attributes_.push_back(PROV_TRY(ReadAttribute()));
  }
}

Result<XmlEvent> XmlReader::ReadStart() {
  XmlEvent event{.kind = XmlEvent::Kind::kStart, .begin = at_, .end = at_};
  if (root_seen_ && open_.empty()) return Refuse(at_, "a second root element; remove it");
  if (open_.size() == kDepthLimit)
    return Refuse(at_, fmt::format("nested deeper than {} elements; is it an answer file?", kDepthLimit));
  ++at_;
  PROV_TRY(ReadQualifiedName(event.prefix, event.local));
  open_.push_back({Between(text_, event.begin + 1, at_), bindings_.size()});
  event.self_closing = PROV_TRY(ReadAttributes());
  event.end = at_;
  for (const AttributeText& attribute : attributes_) PROV_TRY(Declare(attribute));
  const Binding* binding = Find(event.prefix);
  if (binding != nullptr) {
    event.uri = binding->uri;
  } else if (event.prefix == "xml") {
    event.uri = kXmlUri;
  } else if (!event.prefix.empty()) {
    return Refuse(event.begin,
                  fmt::format("the prefix {} stands for no namespace; declare it", XmlExcerpt(event.prefix)));
  }
  PROV_TRY(CheckUnique(event.begin));
  root_seen_ = true;
  close_pending_ = event.self_closing;
  return event;
}

Result<XmlEvent> XmlReader::ReadEnd() {
  const std::size_t begin = at_;
  at_ += 2;
  std::string_view prefix;
  std::string_view local;
  PROV_TRY(ReadQualifiedName(prefix, local));
  const std::string_view name = Between(text_, begin + 2, at_);
  SkipBlanks();
  if (!Accept(">")) return Refuse(at_, fmt::format("the end tag of {} is malformed; correct it", XmlExcerpt(name)));
  if (open_.empty()) return Refuse(begin, fmt::format("</{}> closes nothing; remove it", XmlExcerpt(name)));
  if (open_.back().name != name)
    return Refuse(begin, fmt::format("</{}> where </{}> is expected; correct the nesting", XmlExcerpt(name),
                                     XmlExcerpt(open_.back().name)));
  Close();
  return XmlEvent{.kind = XmlEvent::Kind::kEnd, .begin = begin, .end = at_};
}

void XmlReader::Close() {
  bindings_.resize(open_.back().bindings);
  open_.pop_back();
}

Result<void> XmlReader::Declare(const AttributeText& attribute) {
  const auto prefix = Declares(attribute.prefix, attribute.local);
  if (!prefix) return {};
  Binding binding{*prefix, XmlUnescape(attribute.raw), bindings_.size()};
  const bool reserved =
      *prefix == "xmlns" || binding.uri == kXmlnsUri || (*prefix == "xml") != (binding.uri == kXmlUri);
  if (reserved) return Refuse(attribute.begin, "a namespace that XML reserves is declared anew; remove that");
  if (binding.uri.empty() && !prefix->empty())
    return Refuse(attribute.begin,
                  fmt::format("the prefix {} is declared for no namespace; remove that", XmlExcerpt(*prefix)));
  if (bindings_.size() == kDeclarationLimit)
    return Refuse(attribute.begin,
                  fmt::format("more than {} namespaces at one place; is it an answer file?", kDeclarationLimit));
  const auto same = std::ranges::find(bindings_, binding.uri, &Binding::uri);
  if (same != bindings_.end()) binding.id = same->id;
  bindings_.push_back(std::move(binding));
  return {};
}

const XmlReader::Binding* XmlReader::Find(std::string_view prefix) const {
  for (auto binding = bindings_.rbegin(); binding != bindings_.rend(); ++binding) {
    if (binding->prefix == prefix) return &*binding;
  }
  return nullptr;
}

Result<void> XmlReader::CheckUnique(std::size_t begin) const {
  // Two attributes are the same if their namespaces and local names are, whatever their prefixes.
  constexpr std::size_t kNone = kDeclarationLimit;
  constexpr std::size_t kXmlns = kNone + 1;
  constexpr std::size_t kXml = kNone + 2;
  std::vector<std::pair<std::size_t, std::string_view>> names;
  for (const AttributeText& attribute : attributes_) {
    if (const auto declared = Declares(attribute.prefix, attribute.local)) {
      names.emplace_back(kXmlns, *declared);
    } else if (attribute.prefix.empty() || attribute.prefix == "xml") {
      names.emplace_back(attribute.prefix.empty() ? kNone : kXml, attribute.local);
    } else if (const Binding* binding = Find(attribute.prefix)) {
      names.emplace_back(binding->id, attribute.local);
    } else {
      return Refuse(attribute.begin,
                    fmt::format("the prefix {} stands for no namespace; declare it", XmlExcerpt(attribute.prefix)));
    }
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return {};
  return Refuse(begin, fmt::format("the attribute {} is there twice; remove one", XmlExcerpt(twice->second)));
}

std::optional<std::string> XmlReader::Attribute(std::string_view name) const {
  const auto found =
      std::ranges::find_if(attributes_, [&](const AttributeText& a) { return a.prefix.empty() && a.local == name; });
  return found == attributes_.end() ? std::nullopt : std::optional(XmlUnescape(found->raw));
}

std::optional<std::string> XmlReader::PrefixOf(std::string_view uri, std::string_view preferred) const {
  std::optional<std::string> out;
  for (const Binding& binding : bindings_) {
    // One that is declared anew further in no longer stands for it.
    if (binding.prefix.empty() || binding.uri != uri || Find(binding.prefix) != &binding) continue;
    if (!out || binding.prefix == preferred) out = std::string(binding.prefix);
  }
  return out;
}

}  // namespace prov::unattend
