// Destinations that must be reachable, and in which way: reads the list that people write, and reports what does not
// hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/dialect.h"
#include "provisioner/egress/dialect_explain.h"
#include "provisioner/router/way_out.h"

namespace prov::router {

struct Requirement {
  std::size_t line = 0;
  std::string shown;  // the URL, without a password
  egress::Destination to;
  std::optional<egress::Route> route = {};  // kProxy or kDirect; nullopt: either
  std::optional<IpAddress> source = {};     // that the outside must see
};

// A line "URL [proxy|direct] [source-IP]" each; without a scheme https counts. What follows a '#' at the beginning of a
// word is a comment. Errors: row (with the line), too-large (over 100,000), empty lists included: a file without a
// destination proves nothing.
Result<std::vector<Requirement>> ReadRequirements(std::string bytes, const std::string& where);

// Why a client's request is not as required; "" if it is. `way`: null without routers. A request that depends on DNS,
// or whose router is not known, does not count as reachable.
std::string Objection(const Requirement& requirement, const egress::ClientDecision& decision, const WayOut* way);

}  // namespace prov::router
