// What `explain` is asked: destinations, clients, and the routers behind the proxy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/cli/explain_way.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/dialect.h"
#include "provisioner/egress/dialect_explain.h"

namespace prov::cli {

struct Asked {
  std::string shown;  // the URL, or a line of --hosts; without a password
  egress::Destination to;
  std::string fault;  // of a URL that can't be asked about, which has no destination
};

struct Question {
  std::vector<Asked> urls;
  std::vector<Asked> hosts;
  std::vector<Asked> required;  // the destinations of --required
  std::vector<egress::Dialect> clients;
  ExplainWay way;
  std::string html = {};  // where the page goes; "": nowhere

  std::size_t destinations() const { return urls.size() + hosts.size() + required.size(); }
};

std::string_view NameOf(egress::Route route);  // "direct", "proxy", "invalid"

// One word for what becomes of a request: the name of its route, or what a router does that it does not get past:
// "refused", "depends", "unknown".
std::string_view WordOf(const ExplainWay& routers, const Asked& asked, const egress::ClientDecision& decision);

}  // namespace prov::cli
