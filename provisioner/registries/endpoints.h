// Where a container runtime asks for an image, in its order: mirrors, then the registry.
// Facts: docs/registries.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/secret.h"
#include "provisioner/registries/hosts_toml.h"
#include "provisioner/registries/image_reference.h"
#include "provisioner/registries/mirrors.h"
#include "provisioner/registries/operator_hosts.h"

namespace prov::registries {

struct Endpoint {
  // The root of the registry's API, without a slash at its end: "https://mirror.example.com:5000/v2",
  // "https://mirror.example.com/v2/quay". A manifest is at URL/REPOSITORY/manifests/OBJECT.
  std::string url;
  std::string repository;  // below the root
  bool mirror = false;
  bool pull = true;     // gives manifests and layers by digest
  bool resolve = true;  // also says which digest a tag has
  // The server's certificate is not verified. An http:// URL is tried with TLS first only if `tls_first`.
  bool skip_verify = false;
  bool tls_first = false;
  std::vector<std::string> roots;                       // DER: trusted beside those of the machine
  std::vector<std::pair<std::string, Secret>> headers;  // sent to this host, e.g. an authorization
  std::string name_space;  // the registry that a mirror is asked for: the query's "ns"; "": not sent
  // Of hosts.toml: PEM files for `roots`, relative to its folder. containerd before 2.3 on Windows trusts nothing else
  // where there is one.
  std::vector<std::string> ca_files;
  bool only_these_roots = false;
  bool client_certificate = false;  // hosts.toml names one

  std::string Host() const;                          // "mirror.example.com:5000"
  std::string UrlOf(const std::string& what) const;  // URL/REPOSITORY/WHAT?ns=…; what: "manifests/latest"
};

// The endpoints of one image. With none, `refusal` says why the runtime asks nobody.
struct ImageEndpoints {
  ImageReference image;
  std::vector<Endpoint> endpoints;
  std::string refusal;  // a sentence; "": there are endpoints
  std::string note;     // what a reader should know about this list, e.g. a limit of the Windows operator; "": nothing
};

// containerd's list by a registry's hosts.toml; nullptr: there is none. On Windows nodes of other platforms than
// OpenShift that is all there is.
struct ContainerdRules {
  Containerd version = Containerd::k2;
  bool windows = true;
};
ImageEndpoints ContainerdEndpoints(const ImageReference& image, const HostsToml* hosts, const ContainerdRules& rules);

// The list of a Windows node of OpenShift, by the files that its operator makes of the cluster's `mirrors`. The note
// says where a Linux node asks, if that differs.
ImageEndpoints OpenShiftWindowsEndpoints(const ImageReference& image, const Mirrors& mirrors,
                                         const OperatorHosts& hosts);

// The list of CRI-O, podman and skopeo on a Linux node.
ImageEndpoints LinuxEndpoints(const ImageReference& image, const Mirrors& mirrors);

}  // namespace prov::registries
