// Port: the service control manager of the running system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::machine {

inline constexpr std::string_view kServicesKey = R"(SYSTEM\CurrentControlSet\Services)";  // a key for each service
inline std::string ServiceKeyPath(std::string_view service) {
  return std::string(kServicesKey) + "\\" + std::string(service);
}

struct ServiceDefinition {
  std::string name, display_name, description;
  std::string command_line;  // the program's full path in double quotes, then its arguments

  bool operator==(const ServiceDefinition&) const = default;
};

struct ServiceState {
  bool running = false;
  std::uint32_t process_id = 0;  // 0 unless it runs
};

// Names compare without case. Errors: target (no service manager), io.
class Services {
 public:
  virtual ~Services() = default;

  virtual Result<std::optional<ServiceState>> Query(std::string_view name) = 0;  // nullopt: no such service
  // Creates or corrects the service: its own process, LocalSystem, started at each boot, restarted by the system when
  // it fails. Returns whether anything was written.
  virtual Result<bool> Install(const ServiceDefinition& definition) = 0;
  // The present definition of the service; nullopt: no such service.
  virtual Result<std::optional<ServiceDefinition>> Definition(std::string_view name) = 0;
  virtual Result<bool> Remove(std::string_view name) = 0;  // stops it first; false: no such service
  virtual Result<void> Start(std::string_view name) = 0;   // nothing to do if it runs already
  // Waits until the process has ended, so that the program is not in use any more. Returns false if the service did not
  // run.
  virtual Result<bool> Stop(std::string_view name) = 0;
  // Stops the service and the running services that depend on it, and starts all of them again; waits for each. Does
  // nothing if the service does not run.
  virtual Result<void> Restart(std::string_view name) = 0;
  // The "NAME=value" entries of a running process's present environment block.
  virtual Result<std::vector<std::string>> EnvironmentOf(std::uint32_t process_id) = 0;
};

}  // namespace prov::machine
