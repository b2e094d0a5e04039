// `bake --format userdata`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/options.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/payload/payload.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/userdata/user_data.h"

namespace prov::cli {

// --platform, --exe-url, --ca-transport, --append-to, --secret, --secret-form.
OptionGroup UserDataOptionSpecs();
OptionGroup KeptUserDataOptionSpecs();  // those of them that do not say where the user data is

struct UserDataRequest {
  userdata::UserDataOptions options;
  std::optional<std::string> secret;  // name of the Secret to write
};

// nullopt for a format other than userdata. Errors: usage for an option that does not apply to `format`, and for a
// missing one; hash-spec; reserved-name; those of reading the file of --append-to.
Result<std::optional<UserDataRequest>> ParseUserDataArguments(const Arguments& arguments, std::string_view format);

// --platform, --exe-url, --ca-transport, --append-to, --with-wmco and --secret-form. Errors: usage, hash-spec; those of
// reading the file of --append-to.
Result<userdata::UserDataOptions> ParseUserDataOptions(const Arguments& arguments);

// Warns (append-no-keys) of user data for the operator's nodes without the operator's script. `secret`, `append`: the
// options that name them.
void AddWithoutKeys(std::string_view secret, std::string_view append, Findings& findings);

// The input for writing, which `bake` has computed before.
struct BakeJob {
  const egress::EgressConfig& config;
  const reconcile::DesiredState& state;
  std::int64_t generation = payload::kDefaultGeneration;
  std::string path;
  std::string described;  // the state as text for people
  Findings findings;
  bool json = false;
};

// Writes one file: the user data, or the Secret with it. Errors: those of MakeUserData and UserDataSecret; target, io.
Result<Outcome> BakeUserData(UserDataRequest request, BakeJob job);

}  // namespace prov::cli
