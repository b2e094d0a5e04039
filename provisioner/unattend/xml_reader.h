// Reads XML with expat, for files that are edited in place: every event says which bytes it covers. Refuses XML that is
// not well-formed, and features that answer files don't need but attackers use: a DOCTYPE (and so all entities except
// the five predefined), deep nesting, large numbers of attributes and namespaces.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/unattend/xml_text.h"

struct XML_ParserStruct;

namespace prov::unattend {

struct XmlEvent {
  // kText: character data or a CDATA section. kOther: a comment, a processing instruction or the XML declaration. An
  // empty-element tag gives a kStart and then a kEnd without bytes.
  enum class Kind { kStart, kEnd, kText, kOther, kFinished };

  Kind kind = Kind::kFinished;
  std::size_t begin = 0;
  std::size_t end = 0;

  // kStart:
  std::string uri = {};  // the namespace, "" for none
  std::string local = {};
  std::string_view prefix = {};  // a view of the text
  bool self_closing = false;

  // kText:
  std::string text = {};  // its meaning: references are replaced
  bool blank = false;     // only literal blanks; a reference or a CDATA section doesn't count
};

class XmlReader {
 public:
  static constexpr std::size_t kDepthLimit = 100;
  static constexpr std::size_t kAttributeLimit = 256;    // of one element
  static constexpr std::size_t kDeclarationLimit = 256;  // of namespaces, in scope at one place

  // Keeps views of both arguments.
  XmlReader(const XmlText& xml, std::string_view where);
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;

  // Do not call it again after kFinished or an error.
  Result<XmlEvent> Next();

  // The value of an attribute without a prefix, of the last kStart.
  std::optional<std::string> Attribute(std::string_view name) const;
  // A prefix for this namespace inside of the last kStart; `preferred` if that is one.
  std::optional<std::string> PrefixOf(std::string_view uri, std::string_view preferred) const;

  std::unexpected<Error> Refuse(std::size_t offset, std::string_view message) const;

 private:
  struct Handlers;  // expat's callbacks
  struct FreeParser {
    void operator()(XML_ParserStruct* parser) const;
  };
  struct Binding {
    std::string prefix;
    std::string uri;
  };

  Result<void> Advance();
  std::unexpected<Error> Malformed() const;
  void StopAt(std::size_t offset, std::string_view message);
  void Emit(XmlEvent event);
  void TextUpTo(std::size_t end);
  Result<void> CheckDeclaration(const char* version, const char* encoding) const;

  XmlEncoding encoding_;
  std::string_view text_;
  std::string_view where_;
  std::unique_ptr<XML_ParserStruct, FreeParser> parser_;
  bool started_ = false;
  std::optional<Error> error_;
  std::deque<XmlEvent> events_;
  std::size_t at_ = 0;      // after the last event
  std::string characters_;  // of the text that begins at at_
  std::size_t depth_ = 0;
  std::vector<std::pair<std::string, std::string>> attributes_;
  std::vector<Binding> bindings_;
  std::size_t closed_bindings_ = 0;  // at the end of `bindings_`: valid until the next event
};

}  // namespace prov::unattend
