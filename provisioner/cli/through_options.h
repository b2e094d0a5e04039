// --through, --resolve and --required of `explain`: the path of each request after the client's decision, through the
// routers and out of the cluster, and whether required destinations are reached as required.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/cli/command.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/dialect_explain.h"
#include "provisioner/egressip/pod_egress.h"
#include "provisioner/router/request_path.h"
#include "provisioner/router/required.h"
#include "provisioner/router/router_policy.h"

namespace prov::cli {

// The options, as rows of the command's table.
OptionGroup ThroughOptionSpecs();

// The result for a required destination, for all clients.
struct RequiredResult {
  const router::Requirement* required;
  std::vector<std::pair<egress::Dialect, std::string>> objections;  // the clients that do not meet it, and why
};

class ThroughOptions {
 public:
  // Reads the files that the options name. Errors: usage, and those of the routers and of the list.
  static Result<ThroughOptions> Read(const Arguments& arguments);

  bool has_routers() const { return chain_.has_value(); }
  const std::vector<router::Requirement>& required() const { return required_; }
  // Findings about the routers, and about proxies that do not lead to them; `file` is the source of the proxies.
  Findings FindingsOf(const egress::ClientSettings& settings, const std::string& file) const;

  // Follows a request through the routers and, from the pod of the last one, out of the cluster; nullopt without
  // --through.
  std::optional<router::RequestPath> Follow(const egress::Destination& to,
                                            const egress::ClientDecision& decision) const;

  // One word for the end of a request: the name of its route or, if it does not pass a router, what that does:
  // "refused", "depends", "unknown".
  std::string_view EndOf(const egress::Destination& to, const egress::ClientDecision& decision) const;

  std::vector<RequiredResult> Judge(const egress::Explainer& explainer,
                                    const std::vector<egress::Dialect>& clients) const;

 private:
  Result<void> ReadThrough(const std::vector<router::PolicyFile>& files);
  void AddLastHop(const std::string& proxy_host, router::RequestPath& way) const;

  std::optional<router::RouterChain> chain_;
  bool only_objects_ = false;  // no file has a router: the proxy is taken to be a pod of the cluster
  router::RouterPolicy unread_{.kind = router::RouterKind::kHttpProxy, .where = "the proxy, whose rules no file has"};
  router::KnownAnswers answers_;
  std::optional<egressip::PodEgress> last_hop_;
  std::vector<router::Requirement> required_;
  Findings findings_;
};

std::string_view NameOf(egress::Route route);  // "direct", "proxy", "invalid"
// Text padded to `width`; in the colour of a route if colours are on.
std::string ColouredCell(egress::Route route, std::string_view text, std::size_t width, bool colour);

// The member "route" of a decision; "invalid" if the URL is not valid.
void WriteRoute(JsonWriter& json, const router::RequestPath* way);
// The member "required" of the document.
void WriteRequired(JsonWriter& json, const std::vector<RequiredResult>& results);

// Clients and reason of each objection; clients with the same reason share a row.
std::vector<std::pair<std::string, std::string>> GroupObjections(const RequiredResult& result);

// The text after a client's decision, and the list of required destinations.
std::string DescribePath(const router::RequestPath& way);
std::string DescribeRequired(const std::vector<RequiredResult>& results, bool colour);

}  // namespace prov::cli
