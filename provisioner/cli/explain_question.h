// The question to `explain`: destinations, clients, and the routers behind the proxy.
#pragma once

#include <string>
#include <vector>

#include "provisioner/cli/pulled_images.h"
#include "provisioner/cli/through_options.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/dialect.h"
#include "provisioner/egress/dialect_explain.h"

namespace prov::cli {

struct ExplainedUrl {
  std::string shown;  // the URL or the line of --hosts, without a password
  egress::Destination to;
  std::string fault;  // why the URL is invalid; it has no destination then
};

struct Question {
  std::vector<ExplainedUrl> urls;
  std::vector<ExplainedUrl> hosts;
  std::vector<ExplainedUrl> required;  // the destinations of --required
  std::vector<egress::Dialect> clients;
  ThroughOptions through;
  PulledImages images = {};
  std::string html = {};  // path of the page; "": none

  std::size_t destinations() const { return urls.size() + hosts.size() + required.size(); }
};

}  // namespace prov::cli
