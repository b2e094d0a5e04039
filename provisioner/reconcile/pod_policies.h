// The layer-4 proxy policies for the pods of a node, and the pods that get them: the word `hns` of a scope.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/finding.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"

namespace prov::reconcile {

struct PodPolicies {
  std::string pods;                   // hns::kAllPods, or a namespace of Kubernetes
  std::vector<std::string> settings;  // of each policy, as hns::SettingsJson() writes them

  bool operator==(const PodPolicies&) const = default;
};

// Reads a file of policies for `pods`. Errors: usage, with --hns-pods as `where` (`pods` is neither "all" nor a
// namespace's name); those of hns::ReadPolicies() and hns::RequireValid(), whose warnings go to `findings`.
Result<PodPolicies> MakePodPolicies(std::string bytes, std::string pods, const std::string& where, Findings& findings);

// {"pods","policies":[{"Type","Settings"}]}, written as the next value. Errors: those above; type.
void WritePodPolicies(JsonWriter& json, const PodPolicies& policies);
Result<PodPolicies> ReadPodPolicies(const JsonNode& node);

// The settings of policies as the ledger keeps them, byte for byte. Decoding an absent value, or one of another form,
// gives none.
images::RegValue EncodeSettings(const std::vector<std::string>& settings);
std::vector<std::string> DecodeSettings(const std::optional<images::RegValue>& value);

}  // namespace prov::reconcile
