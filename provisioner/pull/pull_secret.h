// Logins for registries, in the form of a pull secret: {"auths":{"HOST[/PATH]":{"auth":BASE64}}}.
// Facts: docs/registries.md#the-requests-of-a-pull.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/registries/image_reference.h"

namespace prov::pull {

struct Login {
  std::string user;  // "": `password` is an identity token
  Secret password;
};

class PullSecret {
 public:
  // The JSON of a .dockerconfigjson or config.json, or a Kubernetes Secret of that type in JSON. Errors: json, type,
  // kind (neither, or all logins are elsewhere), invalid-config (a malformed login); no message quotes a login.
  static Result<PullSecret> Parse(std::string_view text, const std::string& where);

  // The login for an image: that of the entry with the longest name that its repository lies in, as kubelet takes it;
  // nullptr: none.
  const Login* Find(const registries::ImageReference& image) const;
  // "user:password" of the entries for whole hosts, by host.
  std::map<std::string, Secret> OfHosts() const;

 private:
  struct Entry {
    std::string host;  // may begin with "*."
    std::string path;  // "" or "org/app"
    Login login;
  };
  std::vector<Entry> entries_;
};

}  // namespace prov::pull
