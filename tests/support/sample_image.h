// A small Windows installation that does not run, with the parts that this program reads.
#pragma once

#include <cstdint>
#include <string>

#include "images/registry/registry_key.h"

namespace prov::testing_support {

// Trees of the two hives: control sets 1 and 2 (1 is current), services containerd and Tcpip, environment, WinHTTP,
// empty certificate stores, setup keys, and some hundred keys around them. `foreign_root` (DER, or "") is in ROOT.
images::RegKey SampleSystem();
images::RegKey SampleSoftware(const std::string& foreign_root = {});

// When the tests write into the hives, as FILETIME.
inline constexpr std::uint64_t kSampleWriteTime = 133'000'000'000'000'000;

// The bytes of a hive with the tree.
std::string SampleHive(const images::RegKey& root, const std::string& name);

}  // namespace prov::testing_support
