#include "ignition/config.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "ignition/json_path.h"
#include "ignition/merged_config.h"
#include "ignition/resource.h"
#include "ignition/schema.h"
#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

constexpr unsigned kDefaultMode = 0644;

// Reads the contents of one file.
class ContentReader {
 public:
  ContentReader(const MergedConfig& config, const MergedNode& node)
      : config_(config), layers_(config.LayersUpFrom(node.top)) {}

  // nullopt: the entries have no contents.
  Result<std::optional<std::string>> Read() {
    if (config_.parts[layers_.back()->part].version.major == 2) {
      PROV_TRY(Concatenate());
      return std::move(bytes_);
    }
    const bool has_contents = PROV_TRY(MergedContents());
    const bool has_appends = PROV_TRY(Appends());
    if (!has_contents && !has_appends) return std::nullopt;
    return std::move(bytes_);
  }

  unsigned Mode() const {
    unsigned mode = kDefaultMode;
    for (const Layer* layer : layers_) {
      if (const JsonValue* value = JsonMember(layer->entry, "mode")) mode = static_cast<unsigned>(value->GetInt());
    }
    return mode;
  }

 private:
  Result<void> Append(const Resource& resource, SpecVersion version, const std::string& where, std::uint32_t scope) {
    ResourceContext context;
    context.version = version;
    context.settings = [this, scope] { return config_.scopes.SettingsOf(scope, config_.fetcher); };
    context.limit = config_.limits.file - bytes_.size();
    context.fetcher = config_.fetcher;
    std::string more = PROV_TRY(ReadResource(resource, context, where));
    if (bytes_.empty()) {
      bytes_ = std::move(more);
    } else {
      bytes_ += more;
    }
    return {};
  }

  // Spec 2: each entry of the chain after the first has append: true.
  Result<void> Concatenate() {
    for (const Layer* layer : layers_) {
      const std::string where = config_.FilePathOf(*layer) + ".contents";
      const Resource resource = PROV_TRY(ReadResourceMembers(JsonMember(layer->entry, "contents"), JsonPath(where)));
      const ConfigPart& part = config_.parts[layer->part];
      PROV_TRY(Append(resource, part.version, where, part.scope));
    }
    return {};
  }

  // Spec 3: each field comes from the highest entry that has it. So a compression can outlive the source that it
  // belonged to; Ignition merges in this way.
  Result<bool> MergedContents() {
    Resource merged;
    SpecVersion hash_version;
    std::string where;
    std::uint32_t scope = FetchScopes::kOutermost;
    for (const Layer* layer : layers_) {
      std::string at = config_.FilePathOf(*layer) + ".contents";
      Resource resource = PROV_TRY(ReadResourceMembers(JsonMember(layer->entry, "contents"), JsonPath(at)));
      if (resource.compression) merged.compression = resource.compression;
      if (resource.hash) {
        merged.hash = resource.hash;
        hash_version = config_.parts[layer->part].version;
      }
      for (auto& header : resource.http_headers) MergeHeader(merged, std::move(header));
      if (resource.source) {
        merged.source = resource.source;
        where = std::move(at);
        scope = config_.parts[layer->part].scope;
      }
    }
    if (!merged.source) return false;
    PROV_TRY(Append(merged, hash_version, where, scope));
    return true;
  }

  void MergeHeader(Resource& merged, std::pair<std::string, std::string> header) {
    const auto [at, is_new] = headers_.try_emplace(header.first, merged.http_headers.size());
    if (is_new) {
      merged.http_headers.push_back(std::move(header));
    } else {
      merged.http_headers[at->second].second = std::move(header.second);
    }
  }

  Result<bool> Appends() {
    bool any = false;
    for (const Layer* layer : layers_) {
      const JsonValue* list = JsonMember(layer->entry, "append");
      if (list == nullptr) continue;
      for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
        any = true;
        const std::string where = fmt::format("{}.append[{}]", config_.FilePathOf(*layer), i);
        const Resource resource = PROV_TRY(ReadResourceMembers(&(*list)[i], JsonPath(where)));
        const ConfigPart& part = config_.parts[layer->part];
        PROV_TRY(Append(resource, part.version, where, part.scope));
      }
    }
    return any;
  }

  const MergedConfig& config_;
  std::vector<const Layer*> layers_;
  std::unordered_map<std::string, std::size_t> headers_;
  std::string bytes_;
};

std::string WantedAt(std::string_view path, std::string_view where) { return fmt::format("{} ({})", path, where); }

// Fails if the config makes the path a directory or a link, or puts it below something other than a directory.
Result<void> CheckPlace(const MergedConfig& config, std::string_view path) {
  const MergedNode* node = config.Find(path);
  if (node != nullptr && node->kind == NodeKind::kDirectory) {
    return Fail(Code::kDirectory, "the config makes this path a directory, a file is wanted",
                WantedAt(path, config.PathOf(*node)));
  }
  if (node != nullptr && node->kind == NodeKind::kLink) {
    return Fail(Code::kLink, "the config makes this path a link, whose target is not followed; a file is wanted",
                WantedAt(path, config.PathOf(*node)));
  }
  for (std::size_t end = path.rfind('/'); end != std::string_view::npos && end > 0; end = path.rfind('/', end - 1)) {
    const MergedNode* above = config.Find(path.substr(0, end));
    if (above == nullptr || above->kind == NodeKind::kDirectory) continue;
    const std::string where = WantedAt(path, config.PathOf(*above));
    if (above->kind == NodeKind::kLink) {
      return Fail(Code::kLink,
                  fmt::format("the path lies below \"{}\", which the config makes a link", Shorten(above->path)),
                  where);
    }
    if (node == nullptr) continue;
    return Fail(Code::kInvalidConfig,
                fmt::format("the path lies below \"{}\", which the config makes a file", Shorten(above->path)), where);
  }
  return {};
}

// Merges the entries of one unit: later contents replace earlier ones; drop-ins of the same name are merged.
Unit ReadUnit(const MergedConfig& config, const UnitNode& node) {
  Unit out;
  out.name = node.name;
  std::unordered_map<std::string_view, std::size_t> drop_in_by_name;
  for (const Layer* layer : config.LayersUpFrom(node.top)) {
    const bool spec2 = config.parts[layer->part].version.major == 2;
    const JsonValue* contents = JsonMember(layer->entry, "contents");
    // In spec 2, "" means no contents.
    if (contents != nullptr && !(spec2 && contents->GetStringLength() == 0)) out.contents = JsonTextOf(*contents);
    const JsonValue* list = JsonMember(layer->entry, "dropins");
    if (list == nullptr) continue;
    for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
      const std::string_view name = JsonTextOf(*JsonMember(&(*list)[i], "name"));
      const auto [at, is_new] = drop_in_by_name.try_emplace(name, out.drop_ins.size());
      if (is_new) out.drop_ins.push_back({std::string(name), ""});
      const JsonValue* text = JsonMember(&(*list)[i], "contents");
      if (text != nullptr) out.drop_ins[at->second].contents = JsonTextOf(*text);
    }
  }
  return out;
}

}  // namespace

Config::Config(std::unique_ptr<const MergedConfig> merged) : merged_(std::move(merged)) {}
Config::Config(Config&&) noexcept = default;
Config& Config::operator=(Config&&) noexcept = default;
Config::~Config() = default;

const std::string& Config::version() const { return merged_->version_text; }

Result<std::optional<FileContents>> Config::Read(std::string_view path) const {
  PROV_TRY(CheckPlace(*merged_, path));
  const MergedNode* node = merged_->Find(path);
  if (node == nullptr) return std::nullopt;
  ContentReader reader(*merged_, *node);
  auto bytes = reader.Read();
  if (!bytes) {
    Error error = std::move(bytes).error();
    error.where = WantedAt(path, error.where);
    return std::unexpected(std::move(error));
  }
  if (!*bytes) return std::nullopt;
  return FileContents{std::string(path), **std::move(bytes), reader.Mode(), merged_->PathOf(*node)};
}

std::vector<Unit> Config::Units() const {
  std::vector<Unit> out;
  out.reserve(merged_->units.size());
  for (const UnitNode& node : merged_->units) out.push_back(ReadUnit(*merged_, node));
  return out;
}

std::vector<std::string> Config::FilePaths() const {
  std::vector<std::string> out;
  for (const MergedNode& node : merged_->nodes) {
    if (node.kind == NodeKind::kFile) out.emplace_back(node.path);
  }
  return out;
}

}  // namespace prov::ignition
