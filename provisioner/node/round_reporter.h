// Port: what is done after each round, such as reporting to a cluster. fleet/node_reports.h implements it.
#pragma once

namespace prov::node {

class RoundReporter {
 public:
  virtual ~RoundReporter() = default;
  // To be called after each round, whatever its result and whoever made it, while the machine is closed. A failure here
  // never ends the rounds.
  virtual void AfterRound() = 0;
};

}  // namespace prov::node
