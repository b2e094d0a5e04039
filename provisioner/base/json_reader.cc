#include "provisioner/base/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "provisioner/base/rapidjson.h"
#include "provisioner/base/text.h"
#include "provisioner/base/text_place.h"

namespace prov {
namespace {

using JsonValue = rapidjson::Value;

constexpr unsigned kMostLevels = 64;
// Each begins a value, which takes 16 bytes of memory or more; a payload's manifest with all that it may list has some
// 600,000.
constexpr std::string_view kBeginnings = ",[{";
constexpr std::ptrdiff_t kMostBeginnings = 4'000'000;

std::string_view TextOf(const JsonValue& value) { return {value.GetString(), value.GetStringLength()}; }

// Too deep, or a key twice: the reason, or "".
std::string FindFault(const JsonValue& value, unsigned level) {
  if (level > kMostLevels) return fmt::format("nested deeper than {} levels", kMostLevels);
  if (value.IsArray()) {
    for (const JsonValue& item : value.GetArray()) {
      if (std::string fault = FindFault(item, level + 1); !fault.empty()) return fault;
    }
  }
  if (!value.IsObject()) return {};
  std::set<std::string_view> names;
  for (const auto& member : value.GetObject()) {
    if (!names.insert(TextOf(member.name)).second)
      return fmt::format("the key \"{}\" occurs twice", TextOf(member.name));
    if (std::string fault = FindFault(member.value, level + 1); !fault.empty()) return fault;
  }
  return {};
}

// Reads the text again to say where the fault is, which the document doesn't know.
class FaultFinder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, FaultFinder> {
 public:
  explicit FaultFinder(std::string_view text) : text_(text), stream_(text.data(), text.size()) {}

  std::size_t Find() {
    rapidjson::Reader().Parse<rapidjson::kParseIterativeFlag>(stream_, *this);
    return at_;
  }

  bool StartObject() { return Enter(); }
  bool StartArray() { return Enter(); }
  bool EndObject(rapidjson::SizeType) { return Leave(); }
  bool EndArray(rapidjson::SizeType) { return Leave(); }
  bool Key(const char* bytes, rapidjson::SizeType size, bool) {
    const bool fresh = levels_.back().emplace(bytes, size).second;
    if (!fresh) at_ = BeginOfString();
    return fresh;
  }

 private:
  bool Enter() {
    at_ = stream_.Tell();
    levels_.emplace_back();
    return levels_.size() <= kMostLevels;
  }
  bool Leave() {
    levels_.pop_back();
    return true;
  }
  // Of the one that ends here: at a quote with no backslash, or an even number of them, before it.
  std::size_t BeginOfString() {
    std::size_t at = text_.rfind('"', stream_.Tell() - 2);
    while ((at - 1 - text_.find_last_not_of('\\', at - 1)) % 2 == 1) at = text_.rfind('"', at - 1);
    return at;
  }

  std::string_view text_;
  rapidjson::MemoryStream stream_;
  std::vector<std::set<std::string>> levels_;
  std::size_t at_ = 0;
};

bool IsForbiddenControl(char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r'; }

}  // namespace

struct JsonNode::Tree {
  rapidjson::Document document;
  std::string where;
};

namespace {
const JsonValue& Of(const void* value) { return *static_cast<const JsonValue*>(value); }
}  // namespace

JsonNode::JsonNode(std::shared_ptr<const Tree> tree, const void* value, std::string path)
    : tree_(std::move(tree)), value_(value), path_(std::move(path)) {}

std::unexpected<Error> JsonNode::Refuse(Code code, std::string message) const {
  return Fail(code, std::move(message), fmt::format("{}: {}", tree_->where, path_));
}

std::unexpected<Error> JsonNode::WrongType(std::string_view wanted) const {
  return Refuse(Code::kType, fmt::format("is not {}", wanted));
}

Result<std::optional<JsonNode>> JsonNode::Find(std::string_view name) const {
  const JsonValue& value = Of(value_);
  if (!value.IsObject()) return WrongType("an object");
  const auto member = value.FindMember(JsonValue(rapidjson::StringRef(name.data(), name.size())));
  if (member == value.MemberEnd() || member->value.IsNull()) return std::nullopt;
  return JsonNode(tree_, &member->value, fmt::format("{}.{}", path_, name));
}

Result<JsonNode> JsonNode::Get(std::string_view name) const {
  if (auto found = PROV_TRY(Find(name))) return *std::move(found);
  return Refuse(Code::kType, fmt::format("has no \"{}\"", name));
}

Result<std::string> JsonNode::Text() const {
  if (!Of(value_).IsString()) return WrongType("a string");
  return std::string(TextOf(Of(value_)));
}

Result<std::int64_t> JsonNode::Integer() const {
  if (!Of(value_).IsInt64()) return WrongType("an integer");
  return Of(value_).GetInt64();
}

Result<bool> JsonNode::Bool() const {
  if (!Of(value_).IsBool()) return WrongType("true or false");
  return Of(value_).GetBool();
}

Result<std::vector<JsonNode>> JsonNode::Items() const {
  if (!Of(value_).IsArray()) return WrongType("an array");
  std::vector<JsonNode> out;
  for (const JsonValue& item : Of(value_).GetArray())
    out.push_back({tree_, &item, fmt::format("{}[{}]", path_, out.size())});
  return out;
}

Result<std::vector<std::string>> JsonNode::Texts() const {
  std::vector<std::string> out;
  for (const JsonNode& item : PROV_TRY(Items())) out.push_back(PROV_TRY(item.Text()));
  return out;
}

Result<std::vector<std::pair<std::string, JsonNode>>> JsonNode::Members() const {
  if (!Of(value_).IsObject()) return WrongType("an object");
  std::vector<std::pair<std::string, JsonNode>> out;
  for (const auto& member : Of(value_).GetObject()) {
    std::string name(TextOf(member.name));
    std::string path = fmt::format("{}.{}", path_, name);
    out.emplace_back(std::move(name), JsonNode(tree_, &member.value, std::move(path)));
  }
  return out;
}

bool JsonNode::IsNull() const { return Of(value_).IsNull(); }

std::string JsonNode::Json() const {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  Of(value_).Accept(writer);
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

Result<JsonNode> ParseJsonDocument(std::string_view text, std::string_view where) {
  const auto refuse = [&](std::string_view reason, std::size_t at) {
    return Fail(Code::kJson, fmt::format("not JSON as this program reads it: {}", reason),
                fmt::format("{}: {}", where, DescribePlace(text, at)));
  };
  if (!IsUtf8(text)) return refuse("it is not UTF-8", FindInvalidUtf8(text));
  const auto control = std::ranges::find_if(text, IsForbiddenControl);
  if (control != text.end())
    return refuse("it holds a control character", static_cast<std::size_t>(control - text.begin()));
  const auto begins = [](char c) { return kBeginnings.find(c) != std::string_view::npos; };
  if (std::ranges::count_if(text, begins) > kMostBeginnings) {
    return Fail(Code::kTooLarge, "holds more values than a document of this program ever does", std::string(where));
  }
  auto tree = std::make_shared<JsonNode::Tree>();
  tree->where = where;
  tree->document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (tree->document.HasParseError()) {
    return refuse(JsonErrorText(tree->document.GetParseError()), tree->document.GetErrorOffset());
  }
  if (const std::string fault = FindFault(tree->document, 1); !fault.empty())
    return refuse(fault, FaultFinder(text).Find());
  const void* root = static_cast<const JsonValue*>(&tree->document);
  return JsonNode(std::move(tree), root, "$");
}

Result<JsonNode> ParseSchemaOne(std::string_view text, std::string_view where) {
  JsonNode root = PROV_TRY(ParseJsonDocument(text, where));
  const JsonNode schema = PROV_TRY(root.Get("schema"));
  if (PROV_TRY(schema.Integer()) != 1) {
    return schema.Refuse(Code::kVersion, "is not 1: a newer version of provisioner wrote this; use that version");
  }
  return root;
}

}  // namespace prov
