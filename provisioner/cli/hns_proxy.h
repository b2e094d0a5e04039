// What the commands of `hns-proxy` share. hns_proxy.cc has the options, render, check and lookup;
// hns_proxy_endpoints.cc has the commands that query HNS.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/cli/command.h"
#include "provisioner/hns/container.h"
#include "provisioner/hns/policy.h"

namespace prov::cli {

inline constexpr std::string_view kHnsProxyCommand = "provisioner hns-proxy";  // in messages

// The options that describe a policy.
OptionGroup PolicyOptionSpecs();

// The policies from --policy or from the flags, not yet validated. Errors: usage (none or both are given); json;
// policy; io and not-found of files.
Result<std::vector<hns::Policy>> GivenPolicies(const Arguments& arguments);
// Whether the arguments include a policy.
bool NamesPolicy(const Arguments& arguments);

// "1 policy", "2 policies".
std::string PolicyCount(std::size_t count);

// `hns-proxy list|clear|add|ensure`, and `check` without a policy. The first of arguments.words() is the action.
// Options that do not apply to it have been refused already.
Result<Outcome> RunOnEndpoints(const Arguments& arguments, machine::Host& host);

// The container `id` from --crictl FILE|-, or else from crictl itself. Errors: those of hns::ReadContainer and of
// reading the file; target.
Result<hns::Container> FindContainer(const Arguments& arguments, const std::string& id, machine::Host& host);

}  // namespace prov::cli
