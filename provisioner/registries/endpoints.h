// Where a container runtime asks for an image, in its order: mirrors, then the registry.
// Facts: docs/registries.md.
#pragma once

#include <optional>
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
  bool pull = true;     // is asked which digest the reference has, but for a tag only if it may `resolve`
  bool resolve = true;  // a runtime asks all endpoints for manifests and layers, whatever these two are
  // The server's certificate is not verified. An http:// URL is tried with TLS first only if `tls_first`.
  bool skip_verify = false;
  bool tls_first = false;
  bool plain_after_any_failure = false;                 // with `tls_first`: not only where the server speaks no TLS
  std::vector<std::string> roots;                       // DER: trusted beside those of the machine
  std::vector<std::pair<std::string, Secret>> headers;  // sent to this host, e.g. an authorization
  std::string name_space;  // the registry that a mirror is asked for: the query's "ns"; "": not sent
  // Of hosts.toml: PEM files for `roots`, relative to its folder. containerd before 2.3 on Windows trusts nothing else
  // where there is one.
  std::vector<std::string> ca_files;
  bool only_these_roots = false;
  std::string client_certificate_file, client_key_file;  // of hosts.toml; "": none; both may be one file
  std::string client_certificate;                        // what is in them: PEM; "": none
  Secret client_key;
  // Whose login the endpoint gets; nullopt: that of the image. CRI-O logs in to a mirror by the mirror's own name.
  std::optional<ImageReference> login_name;

  std::string Host() const;                          // "mirror.example.com:5000"
  std::string UrlOf(const std::string& what) const;  // URL/REPOSITORY/WHAT?ns=…; what: "manifests/latest"
};

// The endpoints of one image. With none, `refusal` says why the runtime asks nobody.
struct ImageEndpoints {
  ImageReference image;
  std::vector<Endpoint> endpoints;
  std::string refusal;  // a sentence; "": there are endpoints
  std::string note;     // what a reader should know about this list, e.g. a limit of the Windows operator; "": nothing
  // Which mirrors are not asked because a tag or a digest names the image, and what to do; "": all are.
  std::string unused;
};

// The settings by which container tools ask for a name such as "quay.io/org/app": those of the longest prefix; nullptr:
// none has it.
const Registry* FindRegistry(const Mirrors& mirrors, const std::string& name);

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
