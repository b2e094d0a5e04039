// A small strict pull reader of XML 1.0 with namespaces, for files that are edited in place: every event tells which
// bytes it covers. It refuses XML that is not well-formed, and features that answer files don't need but attackers do:
// a DOCTYPE (and with it all entities except the five predefined), XML 1.1, deep nesting, large numbers of attributes.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/unattend/xml_text.h"

namespace prov::unattend {

struct XmlEvent {
  // kText is character data or a CDATA section; kOther a comment, a processing instruction or the XML declaration. An
  // empty-element tag is a kStart and then a kEnd without bytes.
  enum class Kind { kStart, kEnd, kText, kOther, kFinished };

  Kind kind = Kind::kFinished;
  std::size_t begin = 0;
  std::size_t end = 0;

  // kStart:
  std::string_view uri = {};  // the namespace, "" for none; valid until the next event
  std::string_view prefix = {};
  std::string_view local = {};
  bool self_closing = false;

  // kText:
  std::string_view raw = {};  // of a CDATA section: its contents
  bool cdata = false;

  std::string Text() const { return cdata ? std::string(raw) : XmlUnescape(raw); }
  bool IsBlank() const { return kind == Kind::kText && !cdata && IsXmlBlank(raw); }
};

class XmlReader {
 public:
  static constexpr std::size_t kDepthLimit = 100;
  static constexpr std::size_t kAttributeLimit = 256;    // of one element
  static constexpr std::size_t kDeclarationLimit = 256;  // of namespaces, in scope at one place

  // Keeps views of both.
  XmlReader(const XmlText& xml, std::string_view where) : xml_(xml), text_(xml.text), where_(where) {}

  // After kFinished it must not be called again, nor after an error.
  Result<XmlEvent> Next();

  // Of the last kStart: the value of its attribute without a prefix.
  std::optional<std::string> Attribute(std::string_view name) const;
  // A prefix that stands for this namespace inside of the last kStart, the one of that name if it does.
  std::optional<std::string> PrefixOf(std::string_view uri, std::string_view preferred) const;

  std::unexpected<Error> Refuse(std::size_t offset, std::string_view message) const;

 private:
  struct AttributeText {
    std::string_view prefix;
    std::string_view local;
    std::string_view raw;  // the value
    std::size_t begin;
  };
  struct Binding {
    std::string_view prefix;
    std::string uri;
    std::size_t id;  // equal for equal names
  };
  struct OpenElement {
    std::string_view name;  // with its prefix
    std::size_t bindings;   // how many there are outside of it
  };

  Result<XmlEvent> ReadText();
  Result<XmlEvent> ReadMarkup();
  Result<XmlEvent> ReadDelimited(XmlEvent::Kind kind, std::size_t opening, std::string_view closing);
  Result<XmlEvent> ReadComment();
  Result<XmlEvent> ReadInstruction();
  Result<XmlEvent> ReadStart();
  Result<XmlEvent> ReadEnd();
  Result<XmlEvent> Finish() const;
  void Close();

  Result<void> CheckDeclaration(std::string_view inside, std::size_t begin);
  Result<void> CheckReferences(std::string_view raw, std::size_t begin) const;
  Result<std::string_view> ReadName(std::string_view what);
  Result<void> ReadQualifiedName(std::string_view& prefix, std::string_view& local);
  Result<AttributeText> ReadAttribute();
  Result<bool> ReadAttributes();  // up to the end of the tag; whether it closes itself
  bool SkipBlanks();
  bool Accept(std::string_view token);

  Result<void> Declare(const AttributeText& attribute);
  Result<void> CheckUnique(std::size_t begin) const;
  const Binding* Find(std::string_view prefix) const;

  const XmlText& xml_;
  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
  bool root_seen_ = false;
  bool close_pending_ = false;
  std::vector<OpenElement> open_;
  std::vector<AttributeText> attributes_;
  std::deque<Binding> bindings_;  // a deque, so that views of its strings stay valid
};

}  // namespace prov::unattend
