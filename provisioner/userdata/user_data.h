// User data: the script that a platform hands to a new machine, in the form in which the machine's agent takes it.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/userdata/user_data_append.h"
#include "provisioner/userdata/user_data_channel.h"
#include "provisioner/userdata/user_data_container.h"

namespace prov::userdata {

// What cloudbase-init takes.
enum class CloudbaseForm { kPs1, kMultipart, kCloudConfig };

struct UserDataOptions {
  Platform platform = Platform::kNone;
  bool ec2launch_v2 = false;  // YAML, for AWS
  CloudbaseForm form = CloudbaseForm::kPs1;
  std::int64_t generation = 1;
  std::optional<Download> exe = {};             // the program, fetched by the script; without it the script works alone
  std::optional<Download> bundle = {};          // the certificates, fetched by the script instead of being in it
  std::optional<ForeignUserData> foreign = {};  // runs behind our step
};

struct UserData {
  std::string bytes;
  bool secret = false;  // holds credentials, or a URL that may
  Findings findings;    // who can read them there, how it is delivered, what is not done
};

// Errors: size-limit, with the numbers; usage for options that don't go together.
Result<UserData> MakeUserData(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                              const UserDataOptions& options);

// Errors: reserved-name (the operator's own Secret); usage (no name for a Secret).
Result<void> CheckSecretName(std::string_view name);

// The Secret that a MachineSet names, with the user data in `userData`. Errors: as above; size-limit.
Result<std::string> UserDataSecret(std::string_view name, const UserData& data);

}  // namespace prov::userdata
