#include "provisioner/unattend/answer_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/unattend/answer_file_reader.h"
#include "provisioner/unattend/xml_text.h"

namespace prov::unattend {
namespace {

constexpr std::string_view kVersion = "1";
// A word for each Level, in the order of the enum. The root has none, because we never add it.
constexpr std::array<std::string_view, 5> kLevels = {"", "settings", "component", "list", "item"};
constexpr std::string_view kReopened = "reopened";
constexpr std::string_view kOpen = "open";
constexpr std::string_view kPadded = "padded";
constexpr std::string_view kBare = "bare";
constexpr char kBetween = ',';  // the records of several commands

// The levels of an answer file, from outermost to innermost.
enum class Level { kRoot, kSettings, kComponent, kList, kItem };

// What was added to an answer file: the parsed AnswerFileEdit::record.
struct Record {
  Level made = Level::kItem;  // the outermost added element
  std::string architecture;
  bool reopened = false;  // its parent was an empty-element tag
  bool padded = false;    // a line end was added after it, too
};

constexpr std::uint32_t kHighestOrder = 500;
constexpr std::size_t kDescriptionLimit = 256;

constexpr std::size_t kCommandLineLimit = 259;

constexpr CommandKind kCommands = {.component = "Microsoft-Windows-Deployment",
                                   .list = "RunSynchronous",
                                   .item = "RunSynchronousCommand",
                                   .command_line = "Path"};

bool IsPrintableAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

Result<void> CheckCommand(const AnswerFileCommand& command) {
  if (TrimBlanks(command.command_line).empty() || !IsPrintableAscii(command.command_line) ||
      !IsPrintableAscii(command.description))
    return Fail(Code::kUsage, "a command for an answer file must be printable ASCII and not empty",
                command.command_line);
  if (command.command_line.size() > kCommandLineLimit || command.description.size() > kDescriptionLimit)
    return Fail(Code::kSizeLimit,
                fmt::format("{} of an answer file takes {} characters, its Description {}; shorten the command",
                            kCommands.command_line, kCommandLineLimit, kDescriptionLimit),
                command.command_line);
  if (std::ranges::find(kAnswerArchitectures, command.architecture) != kAnswerArchitectures.end()) return {};
  return Fail(Code::kUsage, fmt::format("the architecture is none of {}", fmt::join(kAnswerArchitectures, ", ")),
              command.architecture);
}

// An element of the file and those around it; null members do not exist.
struct Chain {
  const AnswerElement* root = nullptr;
  const AnswerSettings* settings = nullptr;
  const AnswerComponent* component = nullptr;
  const AnswerList* list = nullptr;
  const AnswerItem* item = nullptr;

  const AnswerElement& At(Level level) const {
    switch (level) {
      case Level::kRoot:
        return *root;
      case Level::kSettings:
        return settings->at;
      case Level::kComponent:
        return component->at;
      case Level::kList:
        return list->at;
      case Level::kItem:
        break;
    }
    return item->at;
  }
};

std::optional<Chain> FindOurs(const AnswerFile& file, std::string_view architecture) {
  for (const AnswerSettings& settings : file.settings) {
    for (const AnswerComponent& component : settings.components) {
      if (!EqualsIgnoreAsciiCase(component.architecture, architecture)) continue;
      for (const AnswerList& list : component.lists) {
        const auto item = std::ranges::find(list.items, true, &AnswerItem::ours);
        if (item != list.items.end()) return Chain{&file.root, &settings, &component, &list, &*item};
      }
    }
  }
  return std::nullopt;
}

bool IsProcessed(const AnswerFile& file) {
  return !file.settings.empty() && std::ranges::all_of(file.settings, &AnswerSettings::processed);
}

// The place for the command: of several candidates, the first that exists down to the deepest level.
Chain FindPlace(const AnswerFile& file, std::string_view architecture) {
  Chain out{.root = &file.root};
  for (const AnswerSettings& settings : file.settings) {
    if (settings.processed) continue;
    if (out.settings == nullptr) out.settings = &settings;
    for (const AnswerComponent& component : settings.components) {
      if (!EqualsIgnoreAsciiCase(component.architecture, architecture)) continue;
      if (out.component != nullptr && (out.list != nullptr || component.lists.empty())) continue;
      out.settings = &settings;
      out.component = &component;
      if (!component.lists.empty()) out.list = &component.lists.front();
    }
  }
  return out;
}

Level DeepestOf(const Chain& chain) {
  if (chain.list != nullptr) return Level::kList;
  if (chain.component != nullptr) return Level::kComponent;
  return chain.settings != nullptr ? Level::kSettings : Level::kRoot;
}

std::string Named(std::string_view prefix, std::string_view local) {
  return prefix.empty() ? std::string(local) : fmt::format("{}:{}", prefix, local);
}

std::string_view LocalName(Level level) {
  switch (level) {
    case Level::kRoot:
      return "unattend";
    case Level::kSettings:
      return "settings";
    case Level::kComponent:
      return "component";
    case Level::kList:
      return kCommands.list;
    case Level::kItem:
      break;
  }
  return kCommands.item;
}

std::string_view FirstNewline(std::string_view text) {
  const std::size_t at = text.find('\n');
  if (at == std::string_view::npos) return {};
  return at > 0 && text[at - 1] == '\r' ? text.substr(at - 1, 2) : text.substr(at, 1);
}

// The whitespace for our elements: that of their neighbours.
struct Layout {
  std::string before;  // our outermost element: a line break and indentation, or nothing
  std::string after;   // our outermost element, if nothing else of its parent begins a line
  std::string unit;    // one step of indentation
  std::string fields;  // the fields of our item
};

Layout LayoutIn(std::string_view text, const AnswerFile& file, const Chain& chain) {
  const AnswerElement& parent = chain.At(DeepestOf(chain));
  const std::string_view unit = file.unit.value_or("  ");
  Layout out{.before = {}, .after = {}, .unit = std::string(unit), .fields = {}};
  if (parent.child_on_line != AnswerElement::kNone) {
    const LineStart sibling = LineStartOf(text, parent.child_on_line);
    out.before = fmt::format("{}{}", sibling.newline, sibling.indent);
    if (parent.line.found && sibling.indent.starts_with(parent.line.indent))
      out.unit = sibling.indent.substr(parent.line.indent.size());
  } else if (parent.children == 0 && parent.line.found) {
    const std::string_view newline = parent.line.newline.empty() ? FirstNewline(text) : parent.line.newline;
    if (!newline.empty()) {
      out.before = fmt::format("{}{}{}", newline, parent.line.indent, unit);
      const bool closes_line = text.substr(parent.inside, parent.close - parent.inside).find('\n') != std::string::npos;
      if (!closes_line) out.after = fmt::format("{}{}", newline, parent.line.indent);
    }
  }
  return out;
}

std::string Deeper(const Layout& layout, std::size_t steps) {
  std::string out = layout.before;
  for (std::size_t i = 0; i < steps && !layout.before.empty(); ++i) out += layout.unit;
  return out;
}

// The fields of a new item have the layout of those of the previous item.
std::string FieldsLayout(std::string_view text, const Chain& chain, const Layout& layout, std::size_t depth) {
  const AnswerItem* sibling = chain.list == nullptr || chain.list->items.empty() ? nullptr : &chain.list->items.back();
  if (sibling == nullptr || sibling->at.children == 0) return Deeper(layout, depth + 1);
  if (sibling->at.child_on_line == AnswerElement::kNone) return {};
  const LineStart field = LineStartOf(text, sibling->at.child_on_line);
  return fmt::format("{}{}", field.newline, field.indent);
}

// Writes our elements.
class Writer {
 public:
  Writer(const AnswerFileCommand& command, std::string architecture, const AnswerElement& parent, Layout layout)
      : command_(command),
        architecture_(std::move(architecture)),
        prefix_(parent.prefix),
        state_(StatePrefixIn(parent)),
        layout_(std::move(layout)) {}

  std::string Write(Level level, std::uint32_t order, std::size_t depth = 0) {
    if (level == Level::kItem) return WriteItem(order, depth);
    std::string attributes;
    if (level == Level::kSettings) attributes = fmt::format(" pass=\"{}\"", kPass);
    if (level == Level::kComponent) {
      attributes = ComponentAttributes(kCommands.component, architecture_) + StateDeclaration();
    }
    const std::string name = Named(prefix_, LocalName(level));
    const Level inner = static_cast<Level>(static_cast<int>(level) + 1);
    const std::string contents = Write(inner, order, depth + 1);
    return fmt::format("<{}{}>{}{}{}</{}>", name, attributes, Deeper(layout_, depth + 1), contents,
                       Deeper(layout_, depth), name);
  }

 private:
  // Written once, on the outermost of our component and item.
  std::string StateDeclaration() { return std::exchange(state_.declaration, {}); }

  std::string Field(std::string_view local, std::string_view value) const {
    const std::string name = Named(prefix_, local);
    return fmt::format("{}<{}>{}</{}>", layout_.fields, name, EscapeMarkup(value, false), name);
  }

  std::string WriteItem(std::uint32_t order, std::size_t depth) {
    const std::string name = Named(prefix_, kCommands.item);
    std::string out = fmt::format("<{}{} {}:action=\"add\">", name, StateDeclaration(), state_.name);
    out += Field("Order", std::to_string(order));
    if (!command_.description.empty()) out += Field("Description", command_.description);
    out += Field(kCommands.command_line, command_.command_line);
    out += Field("WillReboot", "Never");
    if (!layout_.fields.empty()) out += Deeper(layout_, depth);
    return out + fmt::format("</{}>", name);
  }

  const AnswerFileCommand& command_;
  std::string architecture_;
  std::string prefix_;
  StatePrefix state_;
  Layout layout_;
};

Result<std::uint32_t> NextOrder(const Chain& chain, const XmlText& xml, std::string_view where) {
  std::uint32_t highest = 0;
  if (chain.list == nullptr) return 1;
  for (const AnswerItem& item : chain.list->items) highest = std::max(highest, item.order);
  if (highest < kHighestOrder) return highest + 1;
  return Fail(Code::kXml,
              fmt::format("the highest Order in this list leaves none for another command, Windows takes up to {}; "
                          "renumber the commands",
                          kHighestOrder),
              XmlPlace(where, xml.text, chain.list->at.begin));
}

std::string WriteRecord(const Record& record) {
  return fmt::format("{} {} {} {} {}", kVersion, kLevels[static_cast<std::size_t>(record.made)], record.architecture,
                     record.reopened ? kReopened : kOpen, record.padded ? kPadded : kBare);
}

Result<Record> ReadRecord(std::string_view line, std::string_view where) {
  const auto damaged = Fail(Code::kManifest,
                            "the record of what was added to the answer file is damaged or of a newer version; take "
                            "the command out by hand",
                            std::string(where));
  const std::vector<std::string_view> words = Split(line, ' ');
  if (words.size() != 5 || words[0] != kVersion || words[1].empty()) return damaged;
  const auto level = std::ranges::find(kLevels, words[1]);
  if (level == kLevels.end() || (words[3] != kReopened && words[3] != kOpen) ||
      (words[4] != kPadded && words[4] != kBare))
    return damaged;
  return Record{static_cast<Level>(level - kLevels.begin()), std::string(words[2]), words[3] == kReopened,
                words[4] == kPadded};
}

// All architectures of the file; the wanted one if it has none.
std::vector<std::string> ArchitecturesFor(const AnswerFile& file, const std::string& wanted) {
  std::vector<std::string> out(kAnswerArchitectures.begin(), kAnswerArchitectures.end());
  std::erase_if(out, [&](const std::string& one) { return !file.architectures.contains(one); });
  if (out.empty()) out.push_back(wanted);
  return out;
}

// Adds the command for one architecture.
Result<AnswerFileEdit> AddFor(std::string_view file, const AnswerFileCommand& command, const std::string& architecture,
                              std::string_view where) {
  const XmlText xml = PROV_TRY(DecodeXml(file, where));
  const AnswerFile read = PROV_TRY(ReadAnswerFile(xml, kCommands, command.command_line, where));
  if (FindOurs(read, architecture)) return AnswerFileEdit{std::string(file), false, {}};

  if (IsProcessed(read)) {
    return Fail(Code::kXml,
                fmt::format("the pass {} is marked as processed (wasPassProcessed), so Windows setup would ignore the "
                            "command: take the mark out if the image is to be set up again",
                            kPass),
                XmlPlace(where, xml.text, read.settings.front().at.begin));
  }
  const Chain chain = FindPlace(read, architecture);
  if (chain.component != nullptr && chain.component->lists.size() > 1)
    return Fail(Code::kXml, fmt::format("the component has more than one {}; merge them into one", kCommands.list),
                XmlPlace(where, xml.text, chain.component->lists[1].at.begin));
  const std::uint32_t order = PROV_TRY(NextOrder(chain, xml, where));

  const Level parent_level = DeepestOf(chain);
  const Level made = static_cast<Level>(static_cast<int>(parent_level) + 1);
  const AnswerElement& parent = chain.At(parent_level);
  Layout layout = LayoutIn(xml.text, read, chain);
  const auto depth = static_cast<std::size_t>(static_cast<int>(Level::kItem) - static_cast<int>(made));
  layout.fields = FieldsLayout(xml.text, chain, layout, depth);
  const Record record{made, architecture, parent.self_closing, !layout.after.empty()};
  const std::string ours =
      layout.before + Writer(command, architecture, parent, layout).Write(made, order) + layout.after;

  // Windows does not accept settings after the elements that close a file.
  const bool among = made == Level::kSettings && read.more_elements;
  const std::size_t at = among ? read.settings_end : parent.content_end;
  XmlText out{xml.encoding, xml.text};
  if (parent.self_closing) {
    const std::string name = Named(parent.prefix, LocalName(parent_level));
    out.text.replace(parent.inside - 2, 2, fmt::format(">{}</{}>", ours, name));
  } else {
    out.text.insert(at, ours);
  }
  return AnswerFileEdit{EncodeXml(out), true, WriteRecord(record)};
}

// Removes the command that one record is of.
Result<AnswerFileEdit> RemoveOne(std::string_view file, const AnswerFileCommand& command, std::string_view record,
                                 std::string_view where) {
  AnswerFileEdit unchanged{std::string(file), false, {}};
  const Record added = PROV_TRY(ReadRecord(record, where));
  XmlText xml = PROV_TRY(DecodeXml(file, where));
  const AnswerFile read = PROV_TRY(ReadAnswerFile(xml, kCommands, command.command_line, where));
  const std::optional<Chain> chain = FindOurs(read, added.architecture);
  if (!chain) return unchanged;

  // Go outwards as long as an element of ours contains only what is removed.
  const auto above = [](Level level) { return static_cast<Level>(static_cast<int>(level) - 1); };
  Level level = Level::kItem;
  while (level > added.made && chain->At(above(level)).children == 1) level = above(level);
  const AnswerElement& target = chain->At(level);
  const AnswerElement& parent = chain->At(above(level));
  const bool outermost = level == added.made;
  const std::string_view text = xml.text;

  // Remove an element that begins a line with its line end and indentation: AddCommand always adds all three.
  const std::size_t begin = target.begin - target.line.newline.size() - target.line.indent.size();
  std::size_t end = target.end;
  if (outermost && added.padded && parent.children == 1) {
    for (const std::string_view piece : {std::string_view("\r"), std::string_view("\n"), parent.line.indent}) {
      if (text.substr(end).starts_with(piece)) end += piece.size();
    }
  }

  if (outermost && added.reopened && parent.inside == begin && parent.close == end) {
    xml.text.replace(parent.inside - 1, parent.end - parent.inside + 1, "/>");
  } else {
    xml.text.erase(begin, end - begin);
  }
  // Texts of the user that become adjacent may form XML syntax, such as ]]>, so parse the result.
  PROV_TRY(ReadAnswerFile(xml, kCommands, command.command_line, where));
  return AnswerFileEdit{EncodeXml(xml), true, {}};
}

}  // namespace

Result<AnswerFileEdit> AddCommand(std::string_view file, const AnswerFileCommand& command, std::string_view where) {
  PROV_TRY(CheckCommand(command));
  const XmlText xml = PROV_TRY(DecodeXml(file, where));
  const AnswerFile read = PROV_TRY(ReadAnswerFile(xml, kCommands, command.command_line, where));
  AnswerFileEdit out{std::string(file), false, {}};
  for (const std::string& architecture : ArchitecturesFor(read, command.architecture)) {
    AnswerFileEdit edit = PROV_TRY(AddFor(out.bytes, command, architecture, where));
    if (!edit.changed) continue;
    out.bytes = std::move(edit.bytes);
    out.changed = true;
    if (!out.record.empty()) out.record += kBetween;
    out.record += edit.record;
    out.architectures.push_back(architecture);
  }
  return out;
}

Result<bool> HasCommand(std::string_view file, const AnswerFileCommand& command, std::string_view where) {
  const XmlText xml = PROV_TRY(DecodeXml(file, where));
  const AnswerFile read = PROV_TRY(ReadAnswerFile(xml, kCommands, command.command_line, where));
  return std::ranges::any_of(kAnswerArchitectures,
                             [&](std::string_view one) { return FindOurs(read, one).has_value(); });
}

Result<bool> IsForSetupFromMedia(std::string_view file, std::string_view where) {
  const XmlText xml = PROV_TRY(DecodeXml(file, where));
  return PROV_TRY(ReadAnswerFile(xml, kCommands, {}, where)).windows_pe;
}

Result<bool> WasPassProcessed(std::string_view file, std::string_view where) {
  const XmlText xml = PROV_TRY(DecodeXml(file, where));
  return IsProcessed(PROV_TRY(ReadAnswerFile(xml, kCommands, {}, where)));
}

Result<AnswerFileEdit> RemoveCommand(std::string_view file, const AnswerFileCommand& command, std::string_view record,
                                     std::string_view where) {
  PROV_TRY(CheckCommand(command));
  AnswerFileEdit out{std::string(file), false, {}};
  if (record.empty()) return out;
  // The last one first: what was added for the others may be around it.
  const std::vector<std::string_view> records = Split(record, kBetween);
  for (auto one = records.rbegin(); one != records.rend(); ++one) {
    AnswerFileEdit edit = PROV_TRY(RemoveOne(out.bytes, command, *one, where));
    out.bytes = std::move(edit.bytes);
    out.changed = out.changed || edit.changed;
  }
  return out;
}

}  // namespace prov::unattend
