// Where OpenShift keeps trusted certificates. Facts: docs/openshift.md#trust-files and #trusted-cas.
#pragma once

#include <string_view>

namespace prov::source {

inline constexpr std::string_view kConfigNamespace = "openshift-config";           // for users
inline constexpr std::string_view kManagedNamespace = "openshift-config-managed";  // for operators
inline constexpr std::string_view kUserBundle = "user-ca-bundle";
inline constexpr std::string_view kMergedBundle = "trusted-ca-bundle";  // includes the system's certificates
inline constexpr std::string_view kBundleKey = "ca-bundle.crt";         // in either ConfigMap
// A ConfigMap with this label, "true", gets the merged bundle.
inline constexpr std::string_view kInjectBundleLabel = "config.openshift.io/inject-trusted-cabundle";

}  // namespace prov::source
