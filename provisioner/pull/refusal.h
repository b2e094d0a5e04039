// Explains why a registry, or a server that it leads to, gives no object of an image.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/pull/purpose.h"

namespace prov::pull {

// An answer with a status that is no success.
struct RefusedObject {
  int status = 0;
  std::string host;  // "host[:port]" of the server that answered
  Purpose purpose = Purpose::kPing;
  bool redirected = false;     // another host than that of the endpoint: it got no login
  bool login_sent_on = false;  // containerd would have sent the login there
  bool mirror = false;         // the endpoint is one
  bool has_login = false;      // for `login_name`
  std::string scheme;          // by which the endpoint's host lets in, "bearer" or "basic"; "": none that is known
  std::string login_name;      // by which a login is looked up
  std::string image;           // as it is pulled, with tag or digest
  std::string repository;
};

// The fault and what to do about it, beginning with the host.
std::string ExplainRefusal(const RefusedObject& refused);

// What to do about a status of which nothing in particular is known.
std::string_view AdviceFor(int status);

// Whether Go's client, and so containerd, sends the header Authorization from the second host on to the first. Each is
// "host[:port]".
bool IsBelow(std::string_view host, std::string_view above);

}  // namespace prov::pull
