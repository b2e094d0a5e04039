// References to images: "nginx", "quay.io/org/app:v1", "host:5000/app@sha256:…", as containerd and the container tools
// of Linux read them.
// Facts: docs/registries.md#references.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::registries {

// All parts in lower case where the grammar wants it; `tag` and `digest` may both be set, then the digest counts.
struct ImageReference {
  std::string registry;    // "docker.io", "quay.io", "host:5000"
  std::string repository;  // "library/nginx"
  std::string tag;         // "" only if there is a digest
  std::string digest;      // "sha256:<64 hex digits>"; "": none

  std::string Text() const;        // the full reference
  std::string Repository() const;  // "docker.io/library/nginx"
  bool by_digest() const { return !digest.empty(); }
  // What a manifest is requested by: the digest, else the tag.
  const std::string& Object() const { return by_digest() ? digest : tag; }
};

// Completes a reference as `docker pull`, `crictl pull` and kubelet do: without a registry docker.io, there without a
// folder "library/", without a tag or digest ":latest". `where` names the option or file in messages. Errors:
// image-reference, which says what is wrong and how a reference looks.
Result<ImageReference> ParseImageReference(std::string_view text, const std::string& where);

}  // namespace prov::registries
