#include "tests/support/memory_host.h"

#include <algorithm>
#include <tuple>

#include "provisioner/base/file.h"
#include "provisioner/base/text.h"

namespace prov::testing_support {
namespace {

// "1.2.3".
std::optional<machine::ProgramVersion> Version(std::string_view text) {
  if (text.empty()) return std::nullopt;
  machine::ProgramVersion out;
  for (std::size_t part = 0; part < out.parts.size() && !text.empty(); ++part) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    out.parts.at(part) = static_cast<std::uint16_t>(std::stoi(std::string(text.substr(0, dot))));
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return out;
}

class OpenedMemory final : public machine::OpenMachine {
 public:
  OpenedMemory(MemoryMachine& memory, bool* open) : memory_(memory), open_(open) {
    if (open_ != nullptr) *open_ = true;
  }
  OpenedMemory(const OpenedMemory&) = delete;
  OpenedMemory& operator=(const OpenedMemory&) = delete;
  ~OpenedMemory() override {
    if (open_ != nullptr) *open_ = false;
  }
  machine::Machine Ports() override { return memory_.Ports(); }

 private:
  MemoryMachine& memory_;
  bool* open_;
};

}  // namespace

Result<std::unique_ptr<machine::OpenMachine>> MemoryHost::Open(machine::Access access) {
  if (access == machine::Access::kRead) return std::make_unique<OpenedMemory>(memory, nullptr);
  if (locked || open_for_writing_) return Fail(Code::kLock, "another run holds the lock");
  return std::make_unique<OpenedMemory>(memory, &open_for_writing_);
}

Result<void> MemoryHost::Reboot(std::string_view reason) {
  return Call([&]() -> Result<void> {
    reboot_reason = std::string(reason);
    return {};
  });
}

Result<void> MemoryHost::RunAsService(std::string_view, const std::function<void()>& body) {
  body();
  return {};
}

Result<std::optional<machine::ServiceState>> MemoryHost::Query(std::string_view name) {
  return Call([&]() -> Result<std::optional<machine::ServiceState>> {
    const auto found = services_by_name.find(AsciiLower(name));
    if (found == services_by_name.end()) return std::nullopt;
    return machine::ServiceState{found->second.process_id != 0, found->second.process_id};
  });
}

Result<bool> MemoryHost::Install(const machine::ServiceDefinition& definition) {
  return Call([&]() -> Result<bool> {
    Service& service = services_by_name[AsciiLower(definition.name)];
    const bool same = service.definition == definition;
    service.definition = definition;
    return !same;
  });
}

Result<std::optional<machine::ServiceDefinition>> MemoryHost::Definition(std::string_view name) {
  return Call([&]() -> Result<std::optional<machine::ServiceDefinition>> {
    const auto found = services_by_name.find(AsciiLower(name));
    if (found == services_by_name.end()) return std::nullopt;
    return found->second.definition;
  });
}

Result<bool> MemoryHost::Stop(std::string_view name) {
  return Call([&]() -> Result<bool> {
    const auto found = services_by_name.find(AsciiLower(name));
    return found != services_by_name.end() && std::exchange(found->second.process_id, 0U) != 0;
  });
}

Result<bool> MemoryHost::Remove(std::string_view name) {
  return Call([&]() -> Result<bool> { return services_by_name.erase(AsciiLower(name)) > 0; });
}

Result<void> MemoryHost::Start(std::string_view name) {
  return Call([&]() -> Result<void> {
    if (broken_versions.contains(installed_version))
      return Fail(Code::kIo, "cannot start the service", std::string(name));
    Service& service = services_by_name[AsciiLower(name)];
    if (service.process_id != 0) return {};
    service.process_id = next_process_++;
    service.version = installed_version;
    return {};
  });
}

Result<void> MemoryHost::Restart(std::string_view name) {
  return Call([&]() -> Result<void> {
    restarted.emplace_back(name);
    Service& service = services_by_name[AsciiLower(name)];
    service.process_id = next_process_++;
    service.version = installed_version;
    return {};
  });
}

Result<std::vector<std::string>> MemoryHost::EnvironmentOf(std::uint32_t process_id) {
  for (const auto& [name, service] : services_by_name) {
    if (service.process_id == process_id) return service.environment;
  }
  return Fail(Code::kTarget, "there is no such process");
}

void MemoryHost::Write(Severity, std::uint16_t id, std::string_view text) {
  Call([&] { events_written.emplace_back(id, text); });
}

bool MemoryHost::Wait(std::int64_t milliseconds) {
  if (milliseconds == 0) return !stopped;
  now += (milliseconds + 999) / 1000;
  if (during_wait) during_wait();
  if (waits_left == 0) return false;
  --waits_left;
  return true;
}

Result<int> MemoryHost::Get(const net::HttpRequest& request) {
  requests.push_back(request.url + (request.proxy_url ? " via " + request.proxy_url->Reveal() : "") + " with " +
                     std::to_string(request.roots.size()) + " roots");
  if (request.notes != nullptr) *request.notes = notes;
  if (first_answers.empty()) return answer;
  Result<int> out = std::move(first_answers.front());
  first_answers.erase(first_answers.begin());
  return out;
}

Result<net::FetchAnswer> MemoryHost::Fetch(const net::FetchRequest& request) {
  fetches.push_back(request);
  if (!web) return Fail(Code::kNetwork, "this test has no network", request.url);
  return web(request);
}

Result<bool> MemoryHost::InstallProgram() {
  if (install_error) return std::unexpected(*install_error);
  return Call([&]() -> Result<bool> {
    if (program_installed && installed_version == own_version) return false;
    if (program_installed && former_version.empty()) former_version = installed_version;
    program_installed = true;
    installed_version = own_version;
    return true;
  });
}

Result<machine::ProgramStatus> MemoryHost::ReadProgramStatus() {
  return Call([&]() -> Result<machine::ProgramStatus> {
    machine::ProgramStatus out;
    out.own = Version(own_version);
    out.is_installed = program_installed;
    if (program_installed) out.installed = Version(installed_version);
    out.is_same = program_installed && installed_version == own_version;
    out.has_former = !former_version.empty();
    return out;
  });
}

Result<bool> MemoryHost::RestoreProgram() {
  return Call([&]() -> Result<bool> {
    if (former_version.empty()) return false;
    installed_version = std::exchange(former_version, {});
    return true;
  });
}

void MemoryHost::DropFormerProgram() {
  Call([&] { former_version.clear(); });
}

Result<bool> MemoryHost::RunsProgram(std::uint32_t process_id) {
  return Call([&]() -> Result<bool> {
    return std::ranges::any_of(services_by_name, [&](const auto& named) {
      return named.second.process_id == process_id && named.second.version == installed_version;
    });
  });
}

Result<bool> MemoryHost::RemoveProgram() {
  return Call([&]() -> Result<bool> {
    pin.reset();
    former_version.clear();
    installed_version.clear();
    return std::exchange(program_installed, false);
  });
}

Result<bool> MemoryHost::WritePin(std::string_view bytes) {
  if (install_error) return std::unexpected(*install_error);
  return Call([&]() -> Result<bool> { return std::exchange(pin, std::string(bytes)) != bytes; });
}

Result<void> MemoryHost::CheckSource(std::string_view path, Shares shares) {
  checked_sources.emplace_back(path);
  if (source_error) return std::unexpected(*source_error);
  return paths != nullptr ? machine::CheckFollowed(*paths, path, shares) : Result<void>();
}

Result<std::string> MemoryHost::ReadFollowed(std::string_view path, std::uint64_t limit, Shares shares) {
  checked_sources.emplace_back(path);
  if (source_error) return std::unexpected(*source_error);
  return paths != nullptr ? machine::ReadFollowed(*paths, path, limit, shares)
                          : prov::ReadFile(std::string(path), limit);
}

Result<void> MemoryHost::RemoveFile(std::string_view path) {
  return Call([&]() -> Result<void> {
    removed_files.emplace_back(path);
    return {};
  });
}

Result<void> MemoryHost::RemoveState() {
  if (open_for_writing_) return Fail(Code::kLock, "the machine is open");
  // One by one, as the folder of a machine goes.
  while (!memory.files().empty()) Call([&] { memory.files().erase(memory.files().begin()); });
  state_removed = true;
  return {};
}

bool MemoryHost::IsLeftLike(const MemoryHost& other) const {
  const auto changed = [](const MemoryHost& host) {
    return std::tie(host.services_by_name, host.events_written, host.restarted, host.requests, host.removed_files,
                    host.checked_sources, host.reboot_reason, host.now, host.waits_left, host.stopped,
                    host.program_installed, host.state_removed, host.installed_version, host.former_version, host.pin,
                    host.open_for_writing_, host.next_process_);
  };
  return changed(*this) == changed(other) && memory.IsLike(other.memory) && fetches.size() == other.fetches.size() &&
         sent.size() == other.sent.size() && first_answers.size() == other.first_answers.size();
}

std::vector<std::uint16_t> MemoryHost::EventIds() const {
  std::vector<std::uint16_t> out;
  for (const auto& [id, text] : events_written) out.push_back(id);
  return out;
}

}  // namespace prov::testing_support
