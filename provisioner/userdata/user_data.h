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
  std::string_view limit_is;       // whose limit
  std::string_view readers;        // of credentials in it
  bool again;                      // runs at every boot
  bool cloudbase;                  // cloudbase-init is what reads it
  std::string_view delivery = {};  // what a user must know of how it gets there
};

std::span<const Channel> Channels();  // in the order of the enum
const Channel& ChannelOf(Platform platform);
std::optional<Platform> PlatformOf(std::string_view name);

// What cloudbase-init takes.
enum class CloudbaseForm { kPs1, kMultipart, kCloudConfig };

// The API whose machines a Secret with the user data is for.
enum class SecretForm {
  kMachineApi,  // OpenShift's Machine API
  kClusterApi,  // the Cluster API, whose images for Windows have cloudbase-init on each platform
};

struct UserDataOptions {
  Platform platform = Platform::kNone;
  bool ec2launch_v2 = false;  // YAML, for AWS
  CloudbaseForm form = CloudbaseForm::kPs1;
  std::int64_t generation = 1;
  std::optional<Download> exe = {};             // the program, fetched by the script; without it the script works alone
  std::optional<Download> bundle = {};          // the certificates, fetched by the script instead of being in it
  std::optional<ForeignUserData> foreign = {};  // runs behind our step
  bool web_proxy = true;                        // a script behind ours that downloads finds the proxy, too
  bool full = true;                             // as in ContainerOptions: left out where there is no room
  bool wmco = false;                            // the Windows Machine Config Operator makes a node of the machine
  SecretForm secret_form = SecretForm::kMachineApi;  // of the Secret that is made of it, if any
};

// Besides the value itself, what a vSphere machine and its image need.
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
  bool secret = false;                       // holds credentials, or a URL that may
  Findings findings;                         // who can read them there, how it is delivered, what is not done
  std::optional<GuestInfo> guest_info = {};  // of a value for vSphere
};

// Errors: size-limit, with the numbers; usage for options that can't be combined.
Result<UserData> MakeUserData(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                              const UserDataOptions& options);

}  // namespace prov::userdata
