// The options of `bake`, `plan`, `apply` and `first-boot` that choose what to take from a source's settings.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "provisioner/base/file.h"
#include "provisioner/base/finding.h"
#include "provisioner/cli/options.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::cli {

std::vector<OptionSpec> DesiredOptionSpecs();

// --trust, which commands that only look at certificates have, too.
OptionSpec TrustOption();
// The SHA-256 digests of the certificates that --trust names. Errors: usage.
Result<std::set<std::string, std::less<>>> NamedCertificates(const Arguments& arguments);

// The choices made on the command line. Everything else is as in a payload's choices.
struct WantedOptions {
  std::optional<reconcile::Scope> scope;
  bool with_wmco = false;
  std::optional<reconcile::CredentialPolicy> credentials;
  std::optional<std::vector<std::string>> services;  // checked names
  std::optional<bool> root_only;
  bool import_leaf = false;
  std::set<std::string, std::less<>> trusted;  // SHA-256 of certificates
  std::optional<std::string> subtract;         // the file
  std::optional<std::string> hns_policy;       // the file
  std::optional<std::string> hns_pods;
  bool win_http_octets = false;
  bool augment = false;
};
// Errors: usage.
Result<WantedOptions> ParseWantedOptions(const Arguments& arguments);

// `choices` with those of the command line on top. `read` reads the files of --subtract and --hns-policy. Errors: those
// of reading them; usage and policy (of --hns-policy).
Result<reconcile::DesiredOptions> CombineOptions(const WantedOptions& wanted, reconcile::DesiredOptions choices,
                                                 const FileReader& read, Findings& findings);

}  // namespace prov::cli
