// Doctor: what is really set on a machine or in an image, and what is wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/tree/image_tree.h"
#include "provisioner/base/finding.h"
#include "provisioner/base/text.h"
#include "provisioner/net/http.h"
#include "provisioner/node/open_node.h"
#include "provisioner/node/probe.h"
#include "provisioner/node/status.h"
#include "provisioner/pki/certificate.h"

namespace prov::node {

// How commands name what they are about, quoted as words of a shell. The defaults are placeholders.
struct DoctorWords {
  std::string target = "--root DIR";        // an image
  std::string source = "SOURCE";            // with the options that are stored
  std::string program = "provisioner.exe";  // one that can be installed into the image
  bool is_explained = true;                 // `explain` takes the image
  std::string (*quote)(std::string_view) = QuotedForPowerShell;
};

// What was seen of a target.
struct Observations {
  bool runs = true;      // false: an image
  std::int64_t now = 0;  // Unix time, by the clock of this machine
  NodeStatus status;
  bool sets_proxy = false;           // the machine or a service has the URL of a proxy
  Findings machine;                  // faults of the machine variables; each place ends with the variable's name
  bool machine_is_as_given = false;  // they are those of the ledger
  struct Service {
    std::string name;
    bool stopped = false;
    std::optional<RunningService> running = {};
    Findings faults = {};                   // of its own value Environment
    bool is_as_given = false;               // its process would get what the ledger has
    std::optional<Finding> own_proxy = {};  // containerd-own-proxy
  };
  std::vector<Service>
      services;  // containerd, what starts it, kubelet, and those in whose environment we set variables
  struct OwnCertificate {
    std::string key;  // as in the ledger
    pki::Certificate certificate;
    bool disallowed = false;
  };
  std::vector<OwnCertificate> certificates;
  std::vector<std::string> unreadable_win_http;  // keys of items, as in the ledger
  std::string win_http;                          // the proxy that WinHTTP has, without passwords; "": none
  Findings registries;                           // why hosts.toml files of ours have no effect
  bool has_program = false;                      // an image whose record has the program
  bool lacks_boot_service = false;               // the same, and no service starts it
  std::vector<Probed> probes;
  struct PulledImage {
    std::string image;
    std::string fault;  // why it does not arrive; "": it does
  };
  std::vector<PulledImage> images;  // those that the caller was asked to pull
  Findings findings;                // about the observation itself
  DoctorWords words;
};

// Reads only, and makes the requests of `probes` with what containerd would get, or else the machine. Errors: those of
// StatusOf, of the ports, and of Probe. `http`: of this machine, as an image has no network. `image`: as for StatusOf.
Result<Observations> Observe(OpenNode& node, const std::vector<std::string>& probes, net::Http& http,
                             images::ImageTree* image = nullptr);

struct Problem {
  Finding finding;
  std::string key = {};  // of the item, as in the ledger; "": none
  std::vector<std::string> commands = {};
};
struct Diagnosis {
  std::vector<Problem> problems;
  std::vector<std::string_view> checked;
};
// The problems in the order in which a person would look: the clock, what is set, what runs with it, what is trusted,
// then what keeps the settings, and last whether requests get through. What only follows from another problem is left
// out.
Diagnosis Diagnose(const Observations& seen);

}  // namespace prov::node
