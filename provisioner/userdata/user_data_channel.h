// The platforms that hand user data to a Windows machine: what each takes, and who can read it there. Facts:
// docs/formats/user-data.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace prov::userdata {

enum class Platform { kAws, kAzure, kGcp, kVsphere, kNutanix, kOpenstack, kNone };

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

}  // namespace prov::userdata
