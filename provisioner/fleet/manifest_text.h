// The text of manifests: values in the place of marks.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/fleet/manifests.h"

namespace prov::fleet {

using ManifestValues = std::map<std::string_view, std::string>;  // by the name in a mark "# deploy: NAME"

std::string YamlText(std::string_view text);
std::string YamlName(std::string_view name);  // of an object: quoted where YAML may take it for another type
std::string YamlList(const std::vector<std::string>& texts);

// Appends a template (templates.h) as a document. A mark behind "KEY: DEFAULT" gets another value; a line that is only
// a mark gets the lines of its value. Without a value the default stays, and such a line goes.
void AppendManifest(std::string_view manifest, const ManifestValues& values, std::string& out);

// Appends the rights to a ConfigMap or ClusterTrustBundle that is the source. The account is the pods' on nodes, unless
// `values` name another (source-role, source-app, source-account, source-component).
void AppendTrustRights(const source::KubeTarget& source, ManifestValues values, std::string& out);

// Image, namespace, version, pull secret and environment. The namespace admits the pods on nodes, so that whichever
// half is applied last leaves them there.
ManifestValues CommonValues(const ManifestOptions& options);

}  // namespace prov::fleet
