// The kinds of documents that can be sources: a row says how a kind is recognised, what reads it and what messages call
// it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ignition/document.h"
#include "provisioner/base/json.h"
#include "provisioner/source/reading.h"
#include "provisioner/source/source_members.h"
#include "provisioner/source/source_objects.h"

namespace prov::source {

// A text that is neither JSON nor YAML.
struct TextKind {
  std::string_view words;  // in a list of what can be read
  bool (*recognises)(std::string_view bytes);
  Result<Reading> (*read)(std::string bytes, const std::string& where);
};

// A parsed document, and what its reader may need.
struct ParsedSource {
  std::unique_ptr<JsonDocument> document;  // a reader may take it; the objects found in it are gone then
  const std::string& where;                // names the input in messages
  const ignition::Selection& selection;
  const ignition::Limits& limits;
  ignition::Fetcher* fetcher;  // may be null
};

struct ObjectKind {
  std::string_view name;   // SourceInfo::kind of what is read
  std::string_view words;  // in a list of what can be read; "": it is named elsewhere
  bool of_cluster;         // what nodes of the whole cluster get; named if another such object is read, unless an
                           // OtherKind reports it
  bool (*recognises)(const JsonValue& object, std::string_view kind);
  std::vector<FoundObject> SourceObjects::* objects;  // nullptr: SourceObjects::machine_config
  // nullopt: none of the objects can be a source.
  Result<std::optional<Reading>> (*read)(const SourceObjects& found, ParsedSource& source);
};

// A kind that speaks of proxies, trust or registries. It is reported where another kind is read.
struct OtherKind {
  std::string_view kind;
  std::string_view group;  // of its apiVersion
  Subject subject;
  std::string_view words;  // what it holds
};

std::span<const TextKind> TextKinds();

// Kinds with the most certain statement about nodes come first. The first row reads MachineConfigs; its error says what
// is expected where no kind is recognised.
std::span<const ObjectKind> ObjectKinds();

// nullptr: the object is of none of these kinds.
const OtherKind* OtherKindOf(const JsonValue& object, std::string_view kind);

}  // namespace prov::source
