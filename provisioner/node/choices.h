// Choices: which of a source's settings a node takes, and how. The options of a command are parsed into them, and a
// node remembers them.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "provisioner/base/file.h"
#include "provisioner/base/finding.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::node {

// A choice that was not made comes from the payload, or else from reconcile::DesiredOptions.
struct Choices {
  std::optional<reconcile::Scope> scope;
  bool with_wmco = false;  // leave the machine variables to the operator: the scope without `machine`
  std::optional<reconcile::CredentialPolicy> credentials;
  std::optional<std::vector<std::string>> services;  // checked names
  std::set<std::string, std::less<>> trusted;        // SHA-256 of certificates
  std::optional<std::string> subtract_file;          // a bundle whose certificates are left out
  std::optional<std::string> hns_policy_file;        // policies of pods
  std::optional<std::string> hns_pods;               // "all" or a namespace; with `hns_policy_file`
  std::optional<std::string> registry_folder;        // containerd's config_path, for hosts.toml files
  bool win_http_octets = false;
  bool augment = false;  // extend NO_PROXY so that other clients decide as Go does

  // The paths of the files that the choices name.
  std::vector<std::string> Files() const;

  bool operator==(const Choices&) const = default;
};

// Writes the choices as the next value of the document; docs/state.md lists them. The same choices give the same bytes.
void WriteChoices(JsonWriter& json, const Choices& choices);
// Errors: type.
Result<Choices> ReadChoices(const JsonNode& node);

// `options`, overridden by these choices. `read` reads the files that they name. Errors: those of reading them; usage
// and policy (of the policies of pods).
Result<reconcile::DesiredOptions> WithChoices(reconcile::DesiredOptions options, const Choices& choices,
                                              const FileReader& read, Findings& findings);

}  // namespace prov::node
