// Where OpenShift keeps trusted certificates. Facts: docs/openshift.md#trust-files and #trusted-cas.
#pragma once

#include <string_view>

namespace prov::source {

inline constexpr std::string_view kConfigNamespace = "openshift-config";           // what users write
inline constexpr std::string_view kManagedNamespace = "openshift-config-managed";  // what operators write
inline constexpr std::string_view kUserBundle = "user-ca-bundle";
inline constexpr std::string_view kMergedBundle = "trusted-ca-bundle";  // with the system's certificates
inline constexpr std::string_view kBundleKey = "ca-bundle.crt";         // in either ConfigMap
// A ConfigMap with this label, "true", gets the merged bundle.
inline constexpr std::string_view kInjectBundleLabel = "config.openshift.io/inject-trusted-cabundle";

}  // namespace prov::source
