// Required destinations, and how they must be reached: parses the list, and reports requirements that are not met.
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
#include "provisioner/router/request_path.h"

namespace prov::router {

struct Requirement {
  std::size_t line = 0;
  std::string shown;  // the URL, without a password
  egress::Destination to;
  std::optional<egress::Route> route = {};  // kProxy or kDirect; nullopt: either
  std::optional<IpAddress> source = {};     // source address that servers must see
};

// Parses a destination list with lines "URL [proxy|direct] [source-IP]"; https without a scheme. Errors: those of
// ReadDestinationList; row (with the line, also for a list without destinations, which would prove nothing).
Result<std::vector<Requirement>> ReadRequirements(std::string bytes, const std::string& where);

// Why a client's request does not meet the requirement; "" if it does. `way`: null without routers. A request that
// depends on DNS, or whose router is unknown, does not meet it.
std::string Objection(const Requirement& requirement, const egress::ClientDecision& decision, const RequestPath* way);

}  // namespace prov::router
