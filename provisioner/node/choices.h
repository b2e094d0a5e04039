// Choices: what is to be taken of a source's settings, and how. Options are parsed into them, and a node remembers
// them.
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

// What is not chosen is as in a payload's own choices, else as in reconcile::DesiredOptions.
struct Choices {
  std::optional<reconcile::Scope> scope;
  bool with_wmco = false;  // the scope without `machine`
  std::optional<reconcile::CredentialPolicy> credentials;
  std::optional<std::vector<std::string>> services;  // checked names
  std::set<std::string, std::less<>> trusted;        // SHA-256 of certificates
  std::optional<std::string> subtract_file;          // a bundle whose certificates are left out
  std::optional<std::string> hns_policy_file;        // policies of pods
  std::optional<std::string> hns_pods;               // "all" or a namespace; with `hns_policy_file`
  bool win_http_octets = false;
  bool augment = false;  // NO_PROXY, so that other clients agree with Go

  // The paths in it.
  std::vector<std::string> Files() const;

  bool operator==(const Choices&) const = default;
};

// The choices as the next value of the document, as docs/state.md lists them. The same choices give the
// same bytes.
void WriteChoices(JsonWriter& json, const Choices& choices);
// Errors: type.
Result<Choices> ReadChoices(const JsonNode& node);

// `options` with these choices on top. `read` reads the files that they name. Errors: those of reading them; usage and
// policy (of the policies of pods).
Result<reconcile::DesiredOptions> WithChoices(reconcile::DesiredOptions options, const Choices& choices,
                                              const FileReader& read, Findings& findings);

}  // namespace prov::node
