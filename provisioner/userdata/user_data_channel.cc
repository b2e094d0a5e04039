#include "provisioner/userdata/user_data_channel.h"

#include <algorithm>
#include <array>

namespace prov::userdata {
namespace {

// OpenStack counts 65,535 bytes of base64.
constexpr std::size_t kNovaLimit = std::size_t{65535} / 4 * 3;

constexpr std::array kChannels = {
    Channel{
        Platform::kAws, "aws", 16384, "AWS takes of user data, before base64",
        "every process on the instance, from its metadata service; whoever may read the instance's user data or the "
        "launch template in the account",
        true, false},
    Channel{
        Platform::kAzure, "azure", 65535, "Azure takes as custom data",
        R"(whoever can read C:\AzureData\CustomData.bin and its copy C:\init.ps1 on the machine, and both stay there: )"
        "delete them when the node has joined",
        false, false},
    Channel{Platform::kGcp, "gcp", 262144, "Google Cloud takes in one metadata value",
            "every process on the instance, from its metadata server; whoever may view the instance in the project",
            false, false},
    Channel{
        Platform::kVsphere, "vsphere", 0, "",
        "whoever may see the machine's settings in vCenter; every process in the guest, through VMware Tools, until "
        "the value is cleared",
        false, true,
        "goes into guestinfo.userdata, with guestinfo.userdata.encoding = gzip+base64, and cloudbase-init in the image "
        "runs it; the cluster's own machine provider for vSphere puts a Secret elsewhere "
        "(guestinfo.ignition.config.data), where nothing on Windows ever runs it: there, bake into the image"},
    Channel{
        Platform::kNutanix, "nutanix", 0, "",
        "whoever may read the machine in Prism; readers of the machine controller's log at verbosity 3, which prints "
        "all of it; readers of cloudbase-init's debug log on the node",
        false, true, "needs cloudbase-init in the image: without it nothing runs user data"},
    Channel{
        Platform::kOpenstack, "openstack", kNovaLimit,
        "Nova takes of user data, as they become 65,535 bytes of base64 at most",
        "every process on the instance, from its metadata service or config drive; readers of cloudbase-init's debug "
        "log on the node",
        false, true, "needs cloudbase-init in the image: without it nothing runs user data"},
    Channel{Platform::kNone, "none", 0, "", "whoever can read the file that it is written to, and its copies", false,
            false, "no platform delivers it: run it on the node yourself, as administrator, with Windows PowerShell"},
};

constexpr bool InEnumOrder() {
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    if (static_cast<std::size_t>(kChannels[i].platform) != i) return false;
  }
  return kChannels.size() == static_cast<std::size_t>(Platform::kNone) + 1;
}
static_assert(InEnumOrder(), "kChannels must list every Platform once, in the order of the enum");

}  // namespace

std::span<const Channel> Channels() { return kChannels; }
const Channel& ChannelOf(Platform platform) { return kChannels[static_cast<std::size_t>(platform)]; }

std::optional<Platform> PlatformOf(std::string_view name) {
  const auto found = std::ranges::find(kChannels, name, &Channel::name);
  if (found == kChannels.end()) return std::nullopt;
  return found->platform;
}

}  // namespace prov::userdata
