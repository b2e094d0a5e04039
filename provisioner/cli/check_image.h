// `check --image`: pulls images as a node would, as far as is needed to know whether they arrive.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/pulled_images.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/machine/host.h"
#include "provisioner/pki/trust_store.h"
#include "provisioner/pull/pull.h"

namespace prov::cli {

// --image with the options of its requests.
OptionGroup ImageCheckOptionSpecs();
OptionSpec ImageFormatOption();  // --format

// Why an image does not arrive, with the host of the request that failed.
std::string DescribeFault(const Error& error);

class ImageCheck {
 public:
  // Reads the options, and the file of --pull-secret. Errors: usage; those of PulledImages::Read and PullSecret::Parse.
  static Result<ImageCheck> Read(const Arguments& arguments, int timeout_seconds);

  bool asked() const { return images_.asked(); }
  // Makes the requests. Errors: the fault of the source's mirrors; those of pull::Pull and PullSecret::Parse.
  Result<void> Run(machine::Host& host, const egress::EgressConfig& config, const pki::TrustedDigests& trusted,
                   Findings& findings);

  const std::vector<pull::Pulled>& pulled() const { return pulled_; }
  bool all_arrive() const;       // false if none was asked
  bool reached_nothing() const;  // no server of any image answered
  // "1 of 2 image(s) do not arrive"; "" if all arrive, or none was asked.
  std::string Summary() const;
  // The members "images", "imagesFailed" and "hosts" of the open object.
  void Write(JsonWriter& json) const;
  // A block for each image: its hosts, and the requests if `verbose` or if it does not arrive. With --format, the list
  // of hosts in that form and nothing else.
  std::string Text(bool verbose) const;
  bool only_hosts() const { return !format_.empty(); }

 private:
  PulledImages images_;
  std::optional<pull::PullSecret> logins_;
  bool given_logins_ = false;  // by --pull-secret, and not by the source
  pull::PullOptions options_;
  std::string format_;  // "required", "router"; "": as text
  bool was_run_ = false;
  std::vector<pull::Pulled> pulled_;
};

}  // namespace prov::cli
