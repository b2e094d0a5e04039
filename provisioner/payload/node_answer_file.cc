#include "provisioner/payload/node_answer_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "provisioner/base/text.h"

namespace prov::payload {
namespace {

constexpr std::string_view kShellSetup = "Microsoft-Windows-Shell-Setup";
constexpr std::string_view kTcpIp = "Microsoft-Windows-TCPIP";
constexpr std::string_view kDnsClient = "Microsoft-Windows-DNS-Client";
// Windows' name for the first adapter. A node whose adapter has another name is identified by its MAC address.
constexpr std::string_view kAdapter = "Ethernet";

Result<unattend::AnswerFile> Read(const unattend::XmlText& xml, std::string_view component, std::string_view child,
                                  std::string_view where) {
  const unattend::CommandKind kind{.component = component, .list = child};
  return unattend::ReadAnswerFile(xml, kind, {}, where);
}

// Writes nested elements, each on its own line if the file has lines.
class Elements {
 public:
  Elements(std::string& out, std::string_view newline, std::string_view unit, std::string_view prefix)
      : out_(out), newline_(newline), unit_(unit), prefix_(prefix) {}

  void Open(std::string_view name, std::string_view attributes = {}) {
    Line();
    fmt::format_to(std::back_inserter(out_), "<{}{}{}>", prefix_, name, attributes);
    ++depth_;
  }
  void Close(std::string_view name) {
    --depth_;
    Line();
    fmt::format_to(std::back_inserter(out_), "</{}{}>", prefix_, name);
  }
  void Value(std::string_view name, std::string_view value, std::string_view attributes = {}) {
    Line();
    fmt::format_to(std::back_inserter(out_), "<{0}{1}{2}>{3}</{0}{1}>", prefix_, name, attributes,
                   EscapeMarkup(value, false));
  }

 private:
  void Line() {
    if (newline_.empty()) return;
    out_ += newline_;
    for (int i = 0; i < depth_; ++i) out_ += unit_;
  }

  std::string& out_;
  std::string_view newline_;
  std::string_view unit_;
  std::string_view prefix_;
  int depth_ = 0;
};

std::string Identifier(const NodeNetwork& network) {
  if (network.mac.empty()) return std::string(kAdapter);
  std::string out = AsciiUpper(network.mac);
  std::ranges::replace(out, ':', '-');
  return out;
}

void WriteTcpIp(Elements& xml, const NodeNetwork& network, const std::string& component, const std::string& add,
                const std::string& key) {
  xml.Open("component", component);
  xml.Open("Interfaces");
  xml.Open("Interface", add);
  const std::string_view family = network.ipv4 ? "Ipv4Settings" : "Ipv6Settings";
  xml.Open(family);
  xml.Value("DhcpEnabled", "false");
  xml.Close(family);
  xml.Value("Identifier", Identifier(network));
  if (!network.gateway.empty()) {
    xml.Open("Routes");
    xml.Open("Route", add);
    xml.Value("Identifier", "1");
    xml.Value("NextHopAddress", network.gateway);
    xml.Value("Prefix", network.ipv4 ? "0.0.0.0/0" : "::/0");
    xml.Close("Route");
    xml.Close("Routes");
  }
  xml.Open("UnicastIpAddresses");
  xml.Value("IpAddress", fmt::format("{}/{}", network.address, network.prefix), add + key);
  for (const std::string_view name : {"UnicastIpAddresses", "Interface", "Interfaces", "component"}) xml.Close(name);
}

}  // namespace

// Finds the places of the name and the network, and cuts the file there.
class NodeAnswerFileBuilder {
 public:
  NodeAnswerFileBuilder(const unattend::XmlText& xml, std::string_view where) : xml_(xml), where_(where) {}

  Result<NodeAnswerFile> Build(bool network) {
    const unattend::AnswerFile file = PROV_TRY(Read(xml_, kShellSetup, "ComputerName", where_));
    if (file.settings.empty())
      return Fail(Code::kXml, "has no settings for the specialize pass, which the nodes' names would go to",
                  std::string(where_));
    out_.architecture_ = unattend::ArchitectureFor(file, "amd64");
    if (network) PROV_TRY(CheckNoNetwork());
    out_.encoding_ = xml_.encoding;
    PROV_TRY(Layout(file));
    return Cut(file);
  }

 private:
  struct Splice {
    std::size_t begin = 0;  // the text from here to the end is replaced
    std::size_t end = 0;
    std::string before;  // our text before the value
    std::string after;
  };

  Result<void> CheckNoNetwork() {
    for (const std::string_view name : {kTcpIp, kDnsClient}) {
      const unattend::AnswerFile file = PROV_TRY(Read(xml_, name, "Interfaces", where_));
      for (const unattend::AnswerSettings& settings : file.settings) {
        for (const unattend::AnswerComponent& component : settings.components) {
          if (!EqualsIgnoreAsciiCase(component.architecture, out_.architecture_)) continue;
          return Fail(Code::kXml,
                      fmt::format("already has a {}, where the nodes' addresses would go; remove it, or remove the "
                                  "addresses from the list of nodes",
                                  name),
                      unattend::XmlPlace(where_, xml_.text, component.at.begin));
        }
      }
    }
    return {};
  }

  Result<void> Layout(const unattend::AnswerFile& file) {
    const unattend::AnswerElement& settings = file.settings.back().at;
    if (settings.self_closing)
      return Fail(Code::kXml, "the settings for the specialize pass are empty; give them a component",
                  unattend::XmlPlace(where_, xml_.text, settings.begin));
    if (settings.child_on_line != unattend::AnswerElement::kNone) {
      const unattend::LineStart line = unattend::LineStartOf(xml_.text, settings.child_on_line);
      out_.newline_ = fmt::format("{}{}", line.newline, line.indent);
      out_.unit_ = file.unit.value_or("  ");
    }
    out_.prefix_ = settings.prefix.empty() ? "" : fmt::format("{}:", settings.prefix);
    out_.state_ = unattend::StatePrefixIn(settings);
    return {};
  }

  // Chooses the place of the name: an existing ComputerName, else an existing component, else a component of its own.
  Result<Splice> NameSplice(const unattend::AnswerFile& file, std::size_t new_component) const {
    const unattend::AnswerComponent* component = nullptr;
    const unattend::AnswerElement* name = nullptr;
    for (const unattend::AnswerSettings& settings : file.settings) {
      for (const unattend::AnswerComponent& candidate : settings.components) {
        if (!EqualsIgnoreAsciiCase(candidate.architecture, out_.architecture_)) continue;
        if (component == nullptr) component = &candidate;
        for (const unattend::AnswerList& list : candidate.lists) {
          if (name != nullptr)
            return Fail(Code::kXml, "has more than one ComputerName; leave one",
                        unattend::XmlPlace(where_, xml_.text, list.at.begin));
          name = &list.at;
        }
      }
    }
    if (name != nullptr) return InElement(*name, "ComputerName", {}, {});
    const std::string open = fmt::format("<{}ComputerName>", out_.prefix_);
    const std::string close = fmt::format("</{}ComputerName>", out_.prefix_);
    if (component != nullptr) {
      const std::string line = component->at.child_on_line == unattend::AnswerElement::kNone
                                   ? (out_.newline_.empty() ? std::string() : out_.newline_ + out_.unit_)
                                   : LineOf(component->at.child_on_line);
      Splice out = InElement(component->at, "component", line + open, close);
      if (!component->at.self_closing) out.begin = out.end = component->at.content_end;
      return out;
    }
    Splice out{new_component, new_component, {}, {}};
    Elements xml(out.before, out_.newline_, out_.unit_, out_.prefix_);
    xml.Open("component", out_.ComponentOf(kShellSetup));
    if (!out_.newline_.empty()) out.before += out_.newline_ + out_.unit_;
    out.before += open;
    out.after = close + out_.newline_ + fmt::format("</{}component>", out_.prefix_);
    return out;
  }

  std::string LineOf(std::size_t begin) const {
    const unattend::LineStart line = unattend::LineStartOf(xml_.text, begin);
    return fmt::format("{}{}", line.newline, line.indent);
  }

  // Replaces everything inside an element; an empty-element tag becomes a pair of tags.
  static Splice InElement(const unattend::AnswerElement& at, std::string_view name, std::string before,
                          std::string after) {
    if (!at.self_closing) return {at.inside, at.close, std::move(before), std::move(after)};
    const std::string colon = at.prefix.empty() ? std::string() : fmt::format("{}:", at.prefix);
    return {at.inside - 2, at.inside, ">" + before, fmt::format("{}</{}{}>", after, colon, name)};
  }

  // The network goes to the end of the last settings, so it always follows the name.
  Result<NodeAnswerFile> Cut(const unattend::AnswerFile& file) {
    const std::size_t end = file.settings.back().at.content_end;
    const Splice name = PROV_TRY(NameSplice(file, end));
    const std::string_view text = xml_.text;
    const auto piece = [&](std::string_view before, std::size_t from, std::size_t to, std::string_view after) {
      out_.pieces_.push_back(out_.Encode(fmt::format("{}{}{}", before, text.substr(from, to - from), after)));
    };
    piece({}, 0, name.begin, name.before);
    piece(name.after, name.end, end, {});
    piece({}, end, text.size(), {});
    out_.pieces_.front().insert(0, unattend::EncodeXml({xml_.encoding, {}}));  // a byte order mark
    // Check one sample now: the result must still be a valid answer file.
    const Node sample{"NODE", NodeNetwork{"10.0.0.2", 8, true, "10.0.0.1", {"10.0.0.1"}, {}}};
    const unattend::XmlText again = PROV_TRY(unattend::DecodeXml(out_.Render(sample), where_));
    PROV_TRY(Read(again, kShellSetup, "ComputerName", where_));
    return std::move(out_);
  }

  const unattend::XmlText& xml_;
  std::string_view where_;
  NodeAnswerFile out_;
};

Result<NodeAnswerFile> NodeAnswerFile::Prepare(std::string_view file, bool network, std::string_view where) {
  const unattend::XmlText xml = PROV_TRY(unattend::DecodeXml(file, where));
  return NodeAnswerFileBuilder(xml, where).Build(network);
}

std::string NodeAnswerFile::Encode(std::string_view text) const {
  return encoding_ == unattend::XmlEncoding::kUtf16Le ? ToUtf16Le(text) : std::string(text);
}

std::string NodeAnswerFile::ComponentOf(std::string_view name) const {
  return unattend::ComponentAttributes(name, architecture_) + state_.declaration;
}

std::string NodeAnswerFile::Network(const NodeNetwork& network) const {
  std::string out;
  const std::string add = fmt::format(" {}:action=\"add\"", state_.name);
  const auto key = [&](std::size_t i) { return fmt::format(" {}:keyValue=\"{}\"", state_.name, i + 1); };
  Elements xml(out, newline_, unit_, prefix_);
  WriteTcpIp(xml, network, ComponentOf(kTcpIp), add, key(0));
  if (network.dns.empty()) return out;
  xml.Open("component", ComponentOf(kDnsClient));
  xml.Open("Interfaces");
  xml.Open("Interface", add);
  xml.Open("DNSServerSearchOrder");
  for (std::size_t i = 0; i < network.dns.size(); ++i) xml.Value("IpAddress", network.dns[i], add + key(i));
  xml.Close("DNSServerSearchOrder");
  xml.Value("Identifier", Identifier(network));
  for (const std::string_view name : {"Interface", "Interfaces", "component"}) xml.Close(name);
  return out;
}

std::string NodeAnswerFile::Render(const Node& node) const {
  const std::string name = Encode(EscapeMarkup(node.name, false));
  const std::string network = node.network ? Encode(Network(*node.network)) : std::string();
  std::string out;
  out.reserve(pieces_[0].size() + pieces_[1].size() + pieces_[2].size() + name.size() + network.size());
  out.append(pieces_[0]).append(name).append(pieces_[1]).append(network).append(pieces_[2]);
  return out;
}

}  // namespace prov::payload
