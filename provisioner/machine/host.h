// Host: the system that this program runs on, as the commands for a node use it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "provisioner/base/clock.h"
#include "provisioner/machine/compute_network.h"
#include "provisioner/machine/event_log.h"
#include "provisioner/machine/installation.h"
#include "provisioner/machine/machine.h"
#include "provisioner/machine/programs.h"
#include "provisioner/machine/services.h"
#include "provisioner/net/http.h"

namespace prov::machine {

// A machine, open for one run: destroying this object closes it.
class OpenMachine {
 public:
  virtual ~OpenMachine() = default;
  virtual Machine Ports() = 0;
};

// kRead makes nothing, not even the state folder, and takes no lock. kWrite makes the state folder and holds the lock.
enum class Access { kRead, kWrite };

class Host {
 public:
  virtual ~Host() = default;

  virtual std::string Name() const { return "this machine"; }  // for reports
  // Errors: target (no Windows, or not enough rights), lock, owner, io.
  virtual Result<std::unique_ptr<OpenMachine>> Open(Access access) = 0;
  virtual Services& services() = 0;
  virtual EventLog& events() = 0;
  virtual Clock& clock() = 0;
  virtual net::Http& http() = 0;
  virtual Installation& installation() = 0;
  // Only a running Windows has these. They are those of Machine, without opening the state.
  virtual ComputeNetwork& compute_network() { return AbsentComputeNetwork(); }
  virtual Programs& programs() { return AbsentPrograms(); }

  // Asks the system to restart. It restarts soon after this process has ended.
  virtual Result<void> Reboot(std::string_view reason) = 0;
  // Reports to the service control manager that this process is the service `name`, runs `body`, and reports the end.
  // Errors: target if no service control manager started this process.
  virtual Result<void> RunAsService(std::string_view name, const std::function<void()>& body) = 0;
  // Ends a run whose changes are kept. Does something for images only.
  virtual Result<void> Commit() { return {}; }
};

// The host of the running system. Without Windows, each member except clock and http fails (target).
Host& LiveHost();

}  // namespace prov::machine
