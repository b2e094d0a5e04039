// An offline image: the adapters of its ports, each in image_*.cc, and where our files are in it. Other code gets the
// adapters from ImageHost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/tree/image_tree.h"
#include "provisioner/machine/certificate_store.h"
#include "provisioner/machine/event_log.h"
#include "provisioner/machine/files.h"
#include "provisioner/machine/installation.h"
#include "provisioner/machine/registry.h"
#include "provisioner/machine/services.h"
#include "provisioner/machine/state_folder.h"
#include "provisioner/machine/state_record.h"
#include "provisioner/machine/system.h"
#include "provisioner/net/http.h"

namespace prov::machine {

// "X is for a running node, and this is an image".
std::unexpected<Error> NothingRuns(std::string_view what);

// The drive letter of the system's volume when the image runs: "C:".
Result<std::string> SystemDriveOf(Registry& registry);

// The certificate stores of an image, assembled from its SOFTWARE hive as Windows does it.
class ImageCertificateStore final : public CertificateStore {
 public:
  // Both must outlive this. `state` records which keys were made for a store, so that they can be removed again.
  ImageCertificateStore(Registry& registry, StateRecord& state) : registry_(registry), state_(state) {}

  Result<bool> Contains(pki::Store store, std::string_view der) override;
  Result<std::optional<std::string>> Find(pki::Store store, std::string_view sha1) override;
  Result<bool> IsDisallowed(std::string_view der) override;
  Result<void> Add(pki::Store store, std::string_view der) override;
  Result<void> Remove(pki::Store store, std::string_view der) override;
  Result<void> Flush() override { return {}; }  // the registry's Flush writes it

 private:
  Result<bool> Holds(std::string_view store_key, std::string_view der);
  Result<void> RememberOwnKeys(const std::string& store_key);
  Result<void> RemoveOwnKeys(const std::string& store_key);

  Registry& registry_;
  StateRecord& state_;
};

// The state folder of an image: `ProgramData\Provisioner`, where the program finds it when the image boots.
inline constexpr std::string_view kImageStateFolder = "ProgramData/Provisioner";

class ImageStateFolder final : public StateFolder {
 public:
  explicit ImageStateFolder(images::ImageTree& tree) : tree_(tree) {}  // which must outlive this

  Result<std::optional<std::string>> Read(std::string_view name) override;
  Result<void> Write(std::string_view name, std::string_view bytes) override;
  Result<void> Remove(std::string_view name) override;
  std::string PathOf(std::string_view name) const override;

 private:
  // An existing folder or file must belong to administrators alone, as on a running node. Errors: owner.
  Result<void> CheckFolder();
  Result<void> CheckFile(std::string_view path);
  Result<void> CheckSecurity(std::string_view path);
  // If that can't be checked (no descriptors), sets the mode of an existing folder so that others have no access.
  Result<void> CloseFolder();

  images::ImageTree& tree_;
  bool folder_is_checked_ = false, folder_is_closed_ = false;
};

class ImageFiles final : public Files {
 public:
  // Both must outlive this.
  ImageFiles(images::ImageTree& tree, Registry& registry) : tree_(tree), registry_(registry) {}

  Result<std::optional<std::string>> ReadFile(std::string_view path, std::uint64_t limit) override;
  Result<bool> IsForEverybody(std::string_view path) override;
  Result<void> PutFile(std::string_view path, std::string_view bytes, FileAccess access) override;
  Result<void> RemoveFile(std::string_view path) override;
  Result<bool> FolderExists(std::string_view path) override;
  Result<void> RemoveFolderIfEmpty(std::string_view path) override;

 private:
  Result<std::string> PathInImage(std::string_view path);
  // What is on the way to a file must belong to administrators, as on a running node. Errors: owner.
  Result<void> CheckWay(const std::string& path);
  Result<bool> IsOpen(const std::string& path);  // IsForEverybody

  images::ImageTree& tree_;
  Registry& registry_;
};

class ImageSystem final : public System {
 public:
  explicit ImageSystem(Registry& registry) : registry_(registry) {}  // which must outlive this

  // "" in a generalised image: Sysprep removes the value.
  Result<std::string> MachineId() override {
    return ReadText(registry_, R"(SOFTWARE\Microsoft\Cryptography)", "MachineGuid");
  }
  Result<std::string> BootId() override { return std::string(); }
  void AnnounceEnvironment() override {}

 private:
  Registry& registry_;
};

// The services of an image, defined in its registry. They start when it boots.
class ImageServices final : public Services {
 public:
  explicit ImageServices(Registry& registry) : registry_(registry) {}  // which must outlive this

  Result<std::optional<ServiceState>> Query(std::string_view name) override;
  Result<bool> Install(const ServiceDefinition& definition) override;
  // nullopt: a definition is only needed to restore a running service.
  Result<std::optional<ServiceDefinition>> Definition(std::string_view /*name*/) override { return std::nullopt; }
  // Refuses if Windows has added subkeys: without these values the rest would be half a service.
  Result<bool> Remove(std::string_view name) override;
  Result<void> Start(std::string_view /*name*/) override { return {}; }    // at the next boot
  Result<void> Restart(std::string_view /*name*/) override { return {}; }  // likewise
  Result<bool> Stop(std::string_view /*name*/) override { return false; }
  Result<std::vector<std::string>> EnvironmentOf(std::uint32_t process_id) override;

 private:
  Registry& registry_;
};

// The program, and the pin of payloads beside it.
inline constexpr std::string_view kImageProgram = "Program Files/Provisioner/provisioner.exe";
inline constexpr std::string_view kImagePin = "Program Files/Provisioner/pin.json";

class ImageInstallation final : public Installation {
 public:
  // Both must outlive this.
  ImageInstallation(images::ImageTree& tree, Registry& registry) : tree_(tree), registry_(registry) {}

  Result<std::string> ProgramPath() override;
  Result<bool> InstallProgram() override { return false; }  // the program is among the files that `--install` writes
  Result<ProgramStatus> ReadProgramStatus() override { return ProgramStatus{}; }
  Result<bool> RestoreProgram() override { return false; }
  void DropFormerProgram() override {}
  Result<bool> RunsProgram(std::uint32_t /*process_id*/) override { return false; }
  Result<bool> RemoveProgram() override;
  Result<std::optional<std::string>> ReadPin() override;
  Result<bool> WritePin(std::string_view /*bytes*/) override { return false; }  // the files of `--install` hold it
  Result<std::string> SetupScriptsFolder() override;
  Result<void> CheckSource(std::string_view /*path*/, Shares /*shares*/) override { return {}; }
  Result<std::string> ReadFollowed(std::string_view path, std::uint64_t limit, Shares shares) override;
  Result<void> RemoveFile(std::string_view /*path*/) override { return {}; }
  Result<void> RemoveState() override;

 private:
  images::ImageTree& tree_;
  Registry& registry_;
};

// Events and requests: an image has none.
class ImageEventLog final : public EventLog {
 public:
  void Write(Severity /*severity*/, std::uint16_t /*id*/, std::string_view /*text*/) override {}
};

class ImageHttp final : public net::Http {
 public:
  Result<int> Get(const net::HttpRequest& /*request*/) override { return NothingRuns("a probe"); }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& /*request*/) override { return NothingRuns("a request"); }
};

}  // namespace prov::machine
