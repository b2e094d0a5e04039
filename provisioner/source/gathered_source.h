// Settings from what `oc adm must-gather` or `oc adm inspect` collected (gathered_files.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ignition/document.h"
#include "provisioner/base/byte_reader.h"
#include "provisioner/base/finding.h"
#include "provisioner/base/json.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

// The objects of several files as one document. Lists are taken apart, and each object has its file and its place there
// for messages.
class GatheredObjects {
 public:
  explicit GatheredObjects(const ignition::Limits& limits) : left_(limits) {}

  // Adds the objects of a file, in JSON or YAML. Errors: those of ParseJsonOrYaml, with the file in their place.
  Result<void> Add(const std::string& path, std::string bytes);

  bool empty() const { return objects_.empty(); }

  // The document, in the order of the files' paths. A collection may hold an object several times: in a list and alone,
  // or once for each image that collected. Of copies that differ the newest counts, by its resourceVersion. Errors:
  // invalid-config, if copies differ and none is known to be the newest. Findings: newest-of-copies.
  Result<std::unique_ptr<JsonDocument>> Join(Findings& findings) &&;

 private:
  struct One {
    std::string path;   // of the file
    std::size_t order;  // in the file
    std::string place;  // the file, and the place in it
    JsonValue* value;   // owned by parts_
  };

  void AddList(JsonDocument& part, JsonValue& value, const std::string& path, const std::string& place);
  void AddOne(JsonValue& value, const std::string& path, std::string place);
  Result<std::vector<One>> WithoutCopies(Findings& findings);

  JsonLimits left_;
  std::vector<std::unique_ptr<JsonDocument>> parts_;
  std::vector<One> objects_;
};

// Reads the settings from such a folder. Errors: those of ReadFolderFiles and of GatheredObjects; kind, if no object
// that could state settings is there; those of ReadParsedDocument.
Result<egress::EgressConfig> ReadGatheredFolder(const std::string& folder, const ignition::Selection& selection,
                                                ignition::Fetcher* fetcher, const ignition::Limits& limits = {});

// The same from an archive. `where` names it. Errors: those, and of ReadArchivedFiles.
Result<egress::EgressConfig> ReadGatheredArchive(ByteReader from, const std::string& where,
                                                 const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                                 const ignition::Limits& limits = {});

}  // namespace prov::source
