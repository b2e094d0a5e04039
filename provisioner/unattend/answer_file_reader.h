// Reads what an in-place edit of an answer file needs: the positions of the elements that can hold a command, their
// indentation, and the existing commands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/unattend/xml_text.h"

namespace prov::unattend {

inline constexpr std::string_view kUnattendUri = "urn:schemas-microsoft-com:unattend";
inline constexpr std::string_view kStateUri = "http://schemas.microsoft.com/WMIConfig/2002/State";

// The blanks before an element, if it begins its line.
struct LineStart {
  bool found = false;
  std::string_view newline = {};  // "" on the first line
  std::string_view indent = {};
};
LineStart LineStartOf(std::string_view text, std::size_t begin);

// The pass whose settings are read and edited.
inline constexpr std::string_view kPass = "specialize";

// What to look for in the pass: component > list > item.
struct CommandKind {
  std::string_view component;
  std::string_view list;
  std::string_view item = {};
  std::string_view command_line = {};  // the item's element with the command line
};

struct AnswerElement {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t begin = 0;
  std::size_t inside = 0;       // after the start tag
  std::size_t content_end = 0;  // after the last contents that aren't blank; `inside` if there are none
  std::size_t close = 0;        // where the end tag begins
  std::size_t end = 0;
  std::size_t children = 0;           // elements, texts, comments and so on: everything but blanks
  std::size_t child_on_line = kNone;  // the last child that begins a line
  LineStart line = {};
  std::string_view prefix = {};   // of its own name, a view of the text
  std::string state_prefix = {};  // a prefix for kStateUri inside; "" if there is none
  bool self_closing = false;
};

struct AnswerItem {
  AnswerElement at;
  std::uint32_t order = 0;  // 0 if it is not a valid number
  bool ours = false;
};

struct AnswerList {
  AnswerElement at;
  std::vector<AnswerItem> items = {};
};

struct AnswerComponent {
  AnswerElement at;
  std::string architecture;
  std::vector<AnswerList> lists = {};
};

struct AnswerSettings {
  AnswerElement at;
  std::vector<AnswerComponent> components = {};  // with the kind's name
  bool processed = false;                        // marked so by Windows setup, in its own copy
};

struct AnswerFile {
  AnswerElement root;
  std::vector<AnswerSettings> settings;  // of the pass
  std::size_t settings_end = 0;          // after the last settings of all passes; where to add some if there are none
  bool more_elements = false;            // elements follow there, after which settings are not accepted
  bool windows_pe = false;               // it has settings for that pass
  std::set<std::string> architectures;   // of all components, in lower case
  std::optional<std::string_view> unit;  // one step of indentation
};

inline constexpr std::array<std::string_view, 3> kAnswerArchitectures = {"amd64", "arm64", "x86"};
// The wanted architecture, unless the file has components of another one only.
std::string ArchitectureFor(const AnswerFile& file, const std::string& wanted);

// How an element that we add names the attributes of kStateUri.
struct StatePrefix {
  std::string name;
  std::string declaration;  // an attribute for the outermost of our elements; "" where the file declares the prefix
};
StatePrefix StatePrefixIn(const AnswerElement& parent);

// The attributes of a component that we add, after a blank.
std::string ComponentAttributes(std::string_view name, std::string_view architecture);

// An item is ours if its command line is this one, apart from blanks. The result keeps views of `xml`. Errors: xml.
Result<AnswerFile> ReadAnswerFile(const XmlText& xml, const CommandKind& kind, std::string_view command_line,
                                  std::string_view where);

}  // namespace prov::unattend
