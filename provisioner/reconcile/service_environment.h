// Item: the `Environment` value of one service, a REG_MULTI_SZ of NAME=VALUE entries. Facts:
// docs/formats/environment.md#a-services-environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/reconcile/environment.h"

namespace prov::reconcile {

struct ServiceEnvironment {
  std::string service;
  std::vector<EnvironmentVariable> variables;
};

inline constexpr std::string_view kServiceEnvironmentValue = "Environment";
std::string ServiceKey(std::string_view service);  // `Services\NAME`, below the control set

// Whether a proxy's URL in it holds a user or a password: then its key is for administrators and the service alone.
bool HoldsCredentials(const ServiceEnvironment& service);

// `existing` entries with ours set: names compare without case, foreign entries and the order stay, ours are appended
// where new. Entries without '=' are foreign and stay.
std::vector<std::string> MergeServiceEnvironment(const std::vector<std::string>& existing,
                                                 const std::vector<EnvironmentVariable>& ours);

images::RegValue EncodeServiceEnvironment(const std::vector<std::string>& entries);

}  // namespace prov::reconcile
