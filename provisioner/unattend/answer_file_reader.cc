#include "provisioner/unattend/answer_file_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "provisioner/base/text.h"
#include "provisioner/unattend/xml_reader.h"

namespace prov::unattend {
namespace {

using Kind = XmlEvent::Kind;

// Trims the text, and replaces blanks between words by one.
std::string Squeezed(std::string_view text) {
  std::string out;
  for (const char c : TrimBlanks(text)) {
    const bool blank = IsXmlBlank(c);
    if (!blank || out.back() != ' ') out += blank ? ' ' : c;
  }
  return out;
}

std::uint32_t OrderOf(std::string_view text) {
  constexpr std::uint32_t kBeyond = 1'000'000;
  std::uint32_t out = 0;
  for (const char c : TrimBlanks(text)) {
    if (c < '0' || c > '9') return 0;
    out = std::min(kBeyond, out * 10 + static_cast<std::uint32_t>(c - '0'));
  }
  return out;
}

class AnswerFileReader {
 public:
  AnswerFileReader(const XmlText& xml, const CommandKind& kind, std::string_view command_line, std::string_view where)
      : text_(xml.text), kind_(kind), command_line_(Squeezed(command_line)), xml_(xml, where) {}

  Result<AnswerFile> Read() {
    XmlEvent event = PROV_TRY(xml_.Next());
    while (event.kind != Kind::kStart) event = PROV_TRY(xml_.Next());
    if (!Is(event, "unattend")) {
      return xml_.Refuse(event.begin, fmt::format("the root element is <{}> of the namespace \"{}\", not <unattend> of "
                                                  "\"{}\"; is it an answer file?",
                                                  XmlExcerpt(event.local), XmlExcerpt(event.uri), kUnattendUri));
    }
    file_.root = Start(event);
    file_.settings_end = event.end;
    PROV_TRY(ReadChildren(file_.root, [&](const XmlEvent& child) { return ReadPart(child); }));
    while (event.kind != Kind::kFinished) event = PROV_TRY(xml_.Next());
    return std::move(file_);
  }

 private:
  // Reads a child from its start tag on; returns where it ends.
  using OnChild = std::function<Result<std::size_t>(const XmlEvent&)>;

  static bool Is(const XmlEvent& event, std::string_view local) {
    return event.local == local && event.uri == kUnattendUri;
  }

  AnswerElement Start(const XmlEvent& event) const {
    AnswerElement out;
    out.begin = event.begin;
    out.inside = out.content_end = event.end;
    out.line = LineStartOf(text_, event.begin);
    out.prefix = event.prefix;
    out.state_prefix = xml_.PrefixOf(kStateUri, "wcm").value_or("");
    out.self_closing = event.self_closing;
    return out;
  }

  Result<void> ReadChildren(AnswerElement& element, const OnChild& on_child) {
    for (;;) {
      const XmlEvent event = PROV_TRY(xml_.Next());
      if (event.kind == Kind::kEnd) {
        element.close = event.begin;
        element.end = event.end;
        return {};
      }
      if (event.blank) continue;
      if (event.kind != Kind::kText) NoteLine(element, event.begin);
      ++element.children;
      element.content_end = event.kind == Kind::kStart ? PROV_TRY(on_child(event)) : EndOf(event);
    }
  }

  // The end of an event; of a text that is not blank, without trailing blanks.
  std::size_t EndOf(const XmlEvent& event) const {
    return event.kind == Kind::kText ? text_.find_last_not_of(" \t\r\n", event.end - 1) + 1 : event.end;
  }

  void NoteLine(AnswerElement& parent, std::size_t begin) {
    const LineStart child = LineStartOf(text_, begin);
    if (!child.found) return;
    parent.child_on_line = begin;
    const std::string_view outer = parent.line.indent;
    if (file_.unit.value_or("").empty() && parent.line.found && child.indent.starts_with(outer))
      file_.unit = child.indent.substr(outer.size());
  }

  Result<std::size_t> Skip(const XmlEvent&) {
    for (std::size_t depth = 1;;) {
      const XmlEvent event = PROV_TRY(xml_.Next());
      if (event.kind == Kind::kStart) ++depth;
      if (event.kind == Kind::kEnd && --depth == 0) return event.end;
    }
  }

  Result<std::size_t> ReadPart(const XmlEvent& event) {
    const bool settings = Is(event, "settings");
    const bool servicing = Is(event, "servicing");
    if (!settings) {
      if (!servicing) file_.more_elements = true;
      const std::size_t end = PROV_TRY(Skip(event));
      if (servicing) file_.settings_end = end, file_.more_elements = false;
      return end;
    }
    AnswerSettings out{Start(event)};
    const auto pass = xml_.Attribute("pass");
    const bool wanted = pass == kPass;
    file_.windows_pe = file_.windows_pe || pass == "windowsPE";
    out.processed = AsciiLower(xml_.Attribute("wasPassProcessed").value_or("")) == "true";
    PROV_TRY(ReadChildren(out.at, [&](const XmlEvent& child) { return ReadComponent(child, wanted, out); }));
    const std::size_t end = file_.settings_end = out.at.end;
    file_.more_elements = false;
    if (wanted) file_.settings.push_back(std::move(out));
    return end;
  }

  Result<std::size_t> ReadComponent(const XmlEvent& event, bool wanted, AnswerSettings& settings) {
    if (!Is(event, "component")) return Skip(event);
    const std::string architecture = xml_.Attribute("processorArchitecture").value_or("");
    if (architecture.size() <= 16) file_.architectures.insert(AsciiLower(architecture));
    if (!wanted || xml_.Attribute("name") != kind_.component) return Skip(event);
    AnswerComponent out{Start(event), architecture};
    PROV_TRY(ReadChildren(out.at, [&](const XmlEvent& child) { return ReadList(child, out); }));
    const std::size_t end = out.at.end;
    settings.components.push_back(std::move(out));
    return end;
  }

  Result<std::size_t> ReadList(const XmlEvent& event, AnswerComponent& component) {
    if (!Is(event, kind_.list)) return Skip(event);
    AnswerList out{Start(event)};
    PROV_TRY(ReadChildren(out.at, [&](const XmlEvent& child) { return ReadItem(child, out); }));
    const std::size_t end = out.at.end;
    component.lists.push_back(std::move(out));
    return end;
  }

  Result<std::size_t> ReadItem(const XmlEvent& event, AnswerList& list) {
    if (!Is(event, kind_.item)) return Skip(event);
    AnswerItem out{Start(event)};
    PROV_TRY(ReadChildren(out.at, [&](const XmlEvent& child) { return ReadField(child, out); }));
    const std::size_t end = out.at.end;
    list.items.push_back(std::move(out));
    return end;
  }

  Result<std::size_t> ReadField(const XmlEvent& event, AnswerItem& item) {
    const bool order = Is(event, "Order");
    if (!order && !Is(event, kind_.command_line)) return Skip(event);
    std::string text;
    for (std::size_t depth = 1;;) {
      const XmlEvent inner = PROV_TRY(xml_.Next());
      if (inner.kind == Kind::kText && depth == 1) text += inner.text;
      if (inner.kind == Kind::kStart) ++depth;
      if (inner.kind != Kind::kEnd || --depth > 0) continue;
      if (order) item.order = std::max(item.order, OrderOf(text));
      if (!order) item.ours = item.ours || Squeezed(text) == command_line_;
      return inner.end;
    }
  }

  std::string_view text_;
  const CommandKind& kind_;
  std::string command_line_;
  XmlReader xml_;
  AnswerFile file_;
};

}  // namespace

Result<AnswerFile> ReadAnswerFile(const XmlText& xml, const CommandKind& kind, std::string_view command_line,
                                  std::string_view where) {
  return AnswerFileReader(xml, kind, command_line, where).Read();
}

std::string ArchitectureFor(const AnswerFile& file, const std::string& wanted) {
  if (file.architectures.contains(wanted)) return wanted;
  std::string only;
  for (const std::string_view known : kAnswerArchitectures) {
    if (!file.architectures.contains(std::string(known))) continue;
    if (!only.empty()) return wanted;
    only = known;
  }
  return only.empty() ? wanted : only;
}

StatePrefix StatePrefixIn(const AnswerElement& parent) {
  if (!parent.state_prefix.empty()) return {parent.state_prefix, {}};
  // Use the usual prefix wcm, unless it already stands for the namespace of the elements.
  const std::string name = parent.prefix == "wcm" ? "state" : "wcm";
  return {name, fmt::format(" xmlns:{}=\"{}\"", name, kStateUri)};
}

std::string ComponentAttributes(std::string_view name, std::string_view architecture) {
  return fmt::format(
      " name=\"{}\" processorArchitecture=\"{}\" publicKeyToken=\"31bf3856ad364e35\" language=\"neutral\" "
      "versionScope=\"nonSxS\"",
      name, architecture);
}

LineStart LineStartOf(std::string_view text, std::size_t begin) {
  std::size_t start = begin;
  while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) --start;
  const std::string_view indent = text.substr(start, begin - start);
  if (start == 0) return {true, {}, indent};
  if (text[start - 1] != '\n') return {};
  const std::size_t newline = start > 1 && text[start - 2] == '\r' ? 2 : 1;
  return {true, text.substr(start - newline, newline), indent};
}

}  // namespace prov::unattend
