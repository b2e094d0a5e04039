// User data: the script that a platform passes to a new machine, in the form that the machine's agent reads. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/payload/payload.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/userdata/user_data_append.h"
#include "provisioner/userdata/user_data_container.h"

namespace prov::userdata {

// The platforms that pass user data to a Windows machine. Facts: docs/formats/user-data.md.
enum class Platform { kAws, kAzure, kGcp, kVsphere, kNutanix, kOpenstack, kNone };

// What a platform accepts as user data, and who can read it there.
struct Channel {
  Platform platform;
  std::string_view name;
  std::size_t limit;               // bytes of user data as we write it; 0: none known
  std::string_view limit_is;       // the owner of the limit
  std::string_view readers;        // who can read credentials in it
  bool again;                      // the script runs at every boot
  bool cloudbase;                  // cloudbase-init reads it
  std::string_view delivery = {};  // notes on its delivery, for the administrator
};

std::span<const Channel> Channels();  // in the order of the enum
const Channel& ChannelOf(Platform platform);
std::optional<Platform> PlatformOf(std::string_view name);

// The API whose machines read the Secret with the user data.
enum class SecretForm {
  kMachineApi,  // OpenShift's Machine API
  kClusterApi,  // the Cluster API; its Windows images have cloudbase-init on each platform
};

struct UserDataOptions {
  Platform platform = Platform::kNone;
  std::int64_t generation = payload::kDefaultGeneration;
  std::optional<Download> exe = {};     // the program, which the script downloads; without it the script works alone
  std::optional<Download> bundle = {};  // the certificates, which the script downloads; nullopt: it holds them
  std::optional<ForeignUserData> foreign = {};       // a script that runs after ours
  bool web_proxy = true;                             // gives the proxy to a later script that downloads, too
  bool full = true;                                  // as in ContainerOptions; false if the full script does not fit
  bool wmco = false;                                 // the Windows Machine Config Operator makes the machine a node
  SecretForm secret_form = SecretForm::kMachineApi;  // of the Secret that is made of the user data, if any
};

// The values that a vSphere machine and its image need besides the user data.
struct GuestInfo {
  std::string instance_id;
  std::string metadata;                                            // guestinfo.metadata, in base64
  static constexpr std::string_view kMetadataEncoding = "base64";  // guestinfo.metadata.encoding
  static constexpr std::string_view kEncoding = "gzip+base64";     // guestinfo.userdata.encoding
  static constexpr std::string_view kMetadataServices =            // metadata_services in cloudbase-init.conf
      "cloudbaseinit.metadata.services.vmwareguestinfoservice.VMwareGuestInfoService";
};

struct UserData {
  std::string bytes;
  bool secret = false;                       // holds credentials, or a URL that may hold some
  Findings findings;                         // who can read credentials there, how it is delivered, what is left out
  std::optional<GuestInfo> guest_info = {};  // for vSphere
};

// Errors: size-limit, with the numbers; usage for options that can't be combined.
Result<UserData> MakeUserData(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                              const UserDataOptions& options);

}  // namespace prov::userdata
