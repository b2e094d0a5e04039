#include "provisioner/unattend/xml_reader.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>

#include "provisioner/base/text.h"

namespace prov::unattend {
namespace {

constexpr char kSeparator = '\n';  // between URI, name and prefix; expat refuses URIs that contain it

// The remedy for an error of expat.
std::string_view RemedyFor(XML_Error error) {
  switch (error) {
    case XML_ERROR_UNCLOSED_TOKEN:
    case XML_ERROR_UNCLOSED_CDATA_SECTION:
    case XML_ERROR_PARTIAL_CHAR:
      return "is the file complete?";
    case XML_ERROR_UNDEFINED_ENTITY:
      return "write a plain & as &amp;";
    case XML_ERROR_INVALID_TOKEN:
      return "write a plain < as &lt; and a plain & as &amp;, and remove control characters";
    case XML_ERROR_TAG_MISMATCH:
      return "close the element that was opened last";
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
      return "remove what follows the root element";
    case XML_ERROR_MISPLACED_XML_PI:
      return "remove what precedes the XML declaration";
    case XML_ERROR_DUPLICATE_ATTRIBUTE:
      return "remove one of them";
    case XML_ERROR_UNBOUND_PREFIX:
      return "declare the prefix";
    default:
      return "correct it";
  }
}

}  // namespace

void XmlReader::FreeParser::operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }

// Each callback that makes an event suspends the parser, so that Next() can return the event.
struct XmlReader::Handlers {
  static XmlReader& Of(void* self) { return *static_cast<XmlReader*>(self); }

  static std::size_t BeginOf(const XmlReader& reader) {
    return static_cast<std::size_t>(XML_GetCurrentByteIndex(reader.parser_.get()));
  }
  static std::size_t EndOf(const XmlReader& reader) {
    return BeginOf(reader) + static_cast<std::size_t>(XML_GetCurrentByteCount(reader.parser_.get()));
  }

  static void Declaration(void* self, const char* version, const char* encoding, int) {
    XmlReader& reader = Of(self);
    if (auto checked = reader.CheckDeclaration(version, encoding); !checked) {
      reader.error_ = std::move(checked).error();
      XML_StopParser(reader.parser_.get(), XML_FALSE);
      return;
    }
    Other(self);
  }

  static void Doctype(void* self, const char*, const char*, const char*, int) {
    XmlReader& reader = Of(self);
    reader.StopAt(reader.text_.find("<!DOCTYPE", reader.at_),
                  "the file has a DOCTYPE, which can declare entities; remove it, an answer file needs none");
  }

  static void BeginNamespace(void* self, const char* prefix, const char* uri) {
    XmlReader& reader = Of(self);
    if (reader.bindings_.size() == kDeclarationLimit) {
      reader.StopAt(BeginOf(reader),
                    fmt::format("more than {} namespaces at one place; is it an answer file?", kDeclarationLimit));
      return;
    }
    reader.bindings_.push_back({prefix == nullptr ? "" : prefix, uri == nullptr ? "" : uri});
  }
  static void EndNamespace(void* self, const char*) { ++Of(self).closed_bindings_; }

  static void Start(void* self, const char* name, const char** attributes) {
    XmlReader& reader = Of(self);
    const std::size_t begin = BeginOf(reader);
    if (reader.depth_ == kDepthLimit)
      return reader.StopAt(begin, fmt::format("nested deeper than {} elements; is it an answer file?", kDepthLimit));
    const auto count = static_cast<std::size_t>(XML_GetSpecifiedAttributeCount(reader.parser_.get())) / 2;
    if (count > kAttributeLimit) {
      return reader.StopAt(
          begin, fmt::format("more than {} attributes of one element; is it an answer file?", kAttributeLimit));
    }
    reader.TextUpTo(begin);
    reader.attributes_.clear();
    for (const char** attribute = attributes; *attribute != nullptr; attribute += 2) {
      const bool prefixed = std::string_view(attribute[0]).find(kSeparator) != std::string_view::npos;
      if (!prefixed) reader.attributes_.emplace_back(attribute[0], attribute[1]);
    }
    XmlEvent event{.kind = XmlEvent::Kind::kStart, .begin = begin, .end = EndOf(reader)};
    const std::vector<std::string_view> parts = Split(name, kSeparator);
    event.local = parts.size() == 1 ? parts[0] : parts[1];
    if (parts.size() > 1) event.uri = parts[0];
    if (parts.size() > 2) event.prefix = reader.text_.substr(begin + 1, parts[2].size());
    event.self_closing = reader.text_[event.end - 2] == '/';
    ++reader.depth_;
    reader.Emit(std::move(event));
  }

  static void End(void* self, const char*) {
    XmlReader& reader = Of(self);
    reader.TextUpTo(BeginOf(reader));
    --reader.depth_;
    reader.Emit({.kind = XmlEvent::Kind::kEnd, .begin = BeginOf(reader), .end = EndOf(reader)});
  }

  static void Characters(void* self, const char* bytes, int size) {
    Of(self).characters_.append(bytes, static_cast<std::size_t>(size));
  }

  static void BeginCdata(void* self) { Of(self).TextUpTo(BeginOf(Of(self))); }
  static void EndCdata(void* self) {
    XmlReader& reader = Of(self);
    const std::size_t begin = reader.at_;
    reader.Emit({.kind = XmlEvent::Kind::kText, .begin = begin, .end = EndOf(reader), .text = reader.characters_});
  }

  static void Comment(void* self, const char*) { Other(self); }
  static void Instruction(void* self, const char*, const char*) { Other(self); }
  static void Other(void* self) {
    XmlReader& reader = Of(self);
    reader.TextUpTo(BeginOf(reader));
    reader.Emit({.kind = XmlEvent::Kind::kOther, .begin = BeginOf(reader), .end = EndOf(reader)});
  }
};

XmlReader::XmlReader(const XmlText& xml, std::string_view where)
    : encoding_(xml.encoding), text_(xml.text), where_(where), parser_(XML_ParserCreateNS("UTF-8", kSeparator)) {
  if (parser_ == nullptr) throw std::bad_alloc();
  XML_Parser parser = parser_.get();
  XML_SetUserData(parser, this);
  XML_SetReturnNSTriplet(parser, 1);
  XML_SetXmlDeclHandler(parser, Handlers::Declaration);
  XML_SetStartDoctypeDeclHandler(parser, Handlers::Doctype);
  XML_SetNamespaceDeclHandler(parser, Handlers::BeginNamespace, Handlers::EndNamespace);
  XML_SetElementHandler(parser, Handlers::Start, Handlers::End);
  XML_SetCharacterDataHandler(parser, Handlers::Characters);
  XML_SetCdataSectionHandler(parser, Handlers::BeginCdata, Handlers::EndCdata);
  XML_SetCommentHandler(parser, Handlers::Comment);
  XML_SetProcessingInstructionHandler(parser, Handlers::Instruction);
}

std::unexpected<Error> XmlReader::Refuse(std::size_t offset, std::string_view message) const {
  return Fail(Code::kXml, std::string(message), XmlPlace(where_, text_, offset));
}

void XmlReader::StopAt(std::size_t offset, std::string_view message) {
  if (!error_) error_ = Refuse(offset, message).error();
  XML_StopParser(parser_.get(), XML_FALSE);
}

void XmlReader::Emit(XmlEvent event) {
  if (error_) return;
  at_ = event.end;
  characters_.clear();
  events_.push_back(std::move(event));
  if (events_.size() == 1) XML_StopParser(parser_.get(), XML_TRUE);
}

// The bytes before an event are text. Outside of the root, expat refuses all but blanks, and reports none.
void XmlReader::TextUpTo(std::size_t end) {
  if (end == at_) return;
  const std::string_view raw = text_.substr(at_, end - at_);
  XmlEvent event{.kind = XmlEvent::Kind::kText, .begin = at_, .end = end, .text = characters_};
  event.blank = IsXmlBlank(raw);
  Emit(std::move(event));
}

Result<XmlEvent> XmlReader::Next() {
  if (events_.empty()) PROV_TRY(Advance());
  XmlEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

Result<void> XmlReader::Advance() {
  bindings_.resize(bindings_.size() - closed_bindings_);
  closed_bindings_ = 0;
  XML_Parser parser = parser_.get();
  const XML_Status status =
      started_ ? XML_ResumeParser(parser) : XML_Parse(parser, text_.data(), static_cast<int>(text_.size()), XML_TRUE);
  started_ = true;
  if (error_) return std::unexpected(*error_);
  if (status == XML_STATUS_ERROR) return Malformed();
  if (status == XML_STATUS_SUSPENDED) return {};
  TextUpTo(text_.size());
  events_.push_back({.kind = XmlEvent::Kind::kFinished, .begin = at_, .end = at_});
  return {};
}

std::unexpected<Error> XmlReader::Malformed() const {
  const XML_Error error = XML_GetErrorCode(parser_.get());
  const auto index = XML_GetCurrentByteIndex(parser_.get());  // negative for an empty text
  const std::size_t offset = index < 0 ? 0 : static_cast<std::size_t>(index);
  if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
  if (error == XML_ERROR_NO_ELEMENTS) {
    return Refuse(offset, depth_ > 0 ? "the file ends inside of an element; is it complete?"
                                     : "the file holds no element; is it an answer file?");
  }
  return Refuse(offset, fmt::format("not XML: {}; {}", XML_ErrorString(error), RemedyFor(error)));
}

Result<void> XmlReader::CheckDeclaration(const char* version, const char* encoding) const {
  if (std::string_view(version) != "1.0") return Refuse(0, "the file is not XML 1.0, which answer files are");
  const std::string_view real = encoding_ == XmlEncoding::kUtf16Le ? "utf-16" : "utf-8";
  if (encoding == nullptr || EqualsIgnoreAsciiCase(encoding, real)) return {};
  return Refuse(0, fmt::format("the file declares the encoding \"{}\" and its bytes are read as {}; declare that, or "
                               "save the file as UTF-8 and declare utf-8",
                               XmlExcerpt(encoding), real));
}

std::optional<std::string> XmlReader::Attribute(std::string_view name) const {
  const auto found = std::ranges::find(attributes_, name, [](const auto& attribute) { return attribute.first; });
  return found == attributes_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> XmlReader::PrefixOf(std::string_view uri, std::string_view preferred) const {
  std::optional<std::string> out;
  for (auto binding = bindings_.begin(); binding != bindings_.end(); ++binding) {
    const auto same_prefix = [&](const Binding& other) { return other.prefix == binding->prefix; };
    // Skip a prefix that an inner element declares again.
    const bool hidden = std::any_of(std::next(binding), bindings_.end(), same_prefix);
    if (binding->prefix.empty() || binding->uri != uri || hidden) continue;
    if (!out || binding->prefix == preferred) out = binding->prefix;
  }
  return out;
}

}  // namespace prov::unattend
