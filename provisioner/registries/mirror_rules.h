// What OpenShift's machine-config operator makes of a cluster's mirror objects: the registries of registries.conf.
// Facts: docs/registries.md#mirrors-of-a-cluster.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "provisioner/registries/mirrors.h"

namespace prov::registries {

// One entry of an ImageDigestMirrorSet, an ImageTagMirrorSet or an ImageContentSourcePolicy.
struct MirrorRule {
  std::string source;                // "quay.io/org"
  std::vector<std::string> mirrors;  // in the order that the entry prefers
  bool never_contact_source = false;
  bool by_tag = false;  // an ImageTagMirrorSet's; the others' are for digests
};

// spec.registrySources of the object image.config.openshift.io.
struct RegistrySources {
  std::vector<std::string> insecure, blocked;  // "host", "host/path", "*.example.com"
};

// One registry for each source, with the mirrors of all entries merged in an order that suits each entry, if there is
// one. A registry that lies in another's scope takes over that one's flags and, without mirrors of its own, its
// mirrors.
std::vector<Registry> RegistriesOf(std::span<const MirrorRule> rules, const RegistrySources& sources);

}  // namespace prov::registries
