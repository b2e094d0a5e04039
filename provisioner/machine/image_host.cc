#include "provisioner/machine/image_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "images/registry/registry_key.h"
#include "images/tree/windows_tree.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/machine/folder_security.h"

namespace prov::machine {
namespace {

using images::EncodeDword;
using images::EncodeSz;
using images::RegType;
using images::RegValue;
using pki::Store;

constexpr std::string_view kOwnKeysSection = "storeKeys";

// The registry keys of a system store's physical stores: the machine's own, the group policy's, the enterprise's and,
// for ROOT, the one that Windows fills by itself.
std::vector<std::string> PhysicalStores(std::string_view name) {
  std::vector<std::string> out;
  for (const std::string_view place : {R"(Microsoft\SystemCertificates)", R"(Policies\Microsoft\SystemCertificates)",
                                       R"(Microsoft\EnterpriseCertificates)"}) {
    out.push_back(fmt::format(R"(SOFTWARE\{}\{}\Certificates)", place, name));
  }
  if (name == "ROOT") out.emplace_back(R"(SOFTWARE\Microsoft\SystemCertificates\AuthRoot\Certificates)");
  return out;
}

std::string OwnStore(Store store) { return R"(SOFTWARE\)" + CertificateStoreKey(store); }

Result<std::vector<std::string>> LoadOwnKeys(StateRecord& state) {
  const auto section = PROV_TRY(state.Read(kOwnKeysSection));
  if (!section) return std::vector<std::string>();
  return PROV_TRY(section->Get("keys")).Texts();
}

Result<void> SaveOwnKeys(StateRecord& state, const std::vector<std::string>& keys) {
  JsonWriter json;
  json.BeginObject().Strings("keys", keys);
  return state.Commit({{std::string(kOwnKeysSection), json.EndObject().Text()}});
}

std::string_view Parent(std::string_view key) { return key.substr(0, key.rfind('\\')); }

}  // namespace

Result<bool> ImageCertificateStore::Holds(std::string_view store_key, std::string_view der) {
  const auto blob =
      PROV_TRY(registry_.Read(fmt::format("{}\\{}", store_key, CertificateKeyName(der)), kCertificateBlob));
  return blob && blob->type == RegType::kBinary && CertificateInBlob(blob->data) == der;
}

Result<bool> ImageCertificateStore::Contains(Store store, std::string_view der) {
  for (const std::string& key : PhysicalStores(pki::NameOf(store))) {
    if (PROV_TRY(Holds(key, der))) return true;
  }
  return false;
}

Result<std::optional<std::string>> ImageCertificateStore::Find(Store store, std::string_view sha1) {
  const std::string name = AsciiUpper(sha1);
  for (const std::string& key : PhysicalStores(pki::NameOf(store))) {
    const auto blob = PROV_TRY(registry_.Read(fmt::format("{}\\{}", key, name), kCertificateBlob));
    const auto der = blob && blob->type == RegType::kBinary ? CertificateInBlob(blob->data) : std::nullopt;
    if (der && CertificateKeyName(*der) == name) return std::string(*der);
  }
  return std::nullopt;
}

Result<bool> ImageCertificateStore::IsDisallowed(std::string_view der) {
  for (const std::string& key : PhysicalStores("Disallowed")) {
    if (PROV_TRY(Holds(key, der))) return true;
  }
  return false;
}

// Remembers the store's keys if they are missing, so that removal takes them out again. Windows setup makes these keys;
// only a minimal image lacks them.
Result<void> ImageCertificateStore::RememberOwnKeys(const std::string& store_key) {
  if (PROV_TRY(registry_.KeyExists(store_key))) return {};
  std::vector<std::string> own = PROV_TRY(LoadOwnKeys(state_));
  for (std::string_view key = store_key; key != "SOFTWARE" && !PROV_TRY(registry_.KeyExists(key)); key = Parent(key)) {
    if (std::ranges::find(own, key) == own.end()) own.emplace_back(key);
  }
  return SaveOwnKeys(state_, own);
}

Result<void> ImageCertificateStore::RemoveOwnKeys(const std::string& store_key) {
  std::vector<std::string> own = PROV_TRY(LoadOwnKeys(state_));
  if (own.empty()) return {};
  for (std::string_view key = store_key; key.find('\\') != std::string_view::npos; key = Parent(key)) {
    const auto found = std::ranges::find(own, key);
    if (found == own.end()) break;
    PROV_TRY(registry_.DeleteKeyIfEmpty(key));
    if (PROV_TRY(registry_.KeyExists(key))) break;
  }
  return {};
}

Result<void> ImageCertificateStore::Add(Store store, std::string_view der) {
  const std::string store_key = OwnStore(store);
  if (PROV_TRY(Holds(store_key, der))) return {};
  PROV_TRY(RememberOwnKeys(store_key));
  return registry_.Set(fmt::format("{}\\{}", store_key, CertificateKeyName(der)),
                       {std::string(kCertificateBlob), RegType::kBinary, EncodeCertificateBlob(der)});
}

Result<void> ImageCertificateStore::Remove(Store store, std::string_view der) {
  const std::string store_key = OwnStore(store);
  const std::string key = fmt::format("{}\\{}", store_key, CertificateKeyName(der));
  if (PROV_TRY(Holds(store_key, der))) PROV_TRY(registry_.DeleteValue(key, kCertificateBlob));
  PROV_TRY(registry_.DeleteKeyIfEmpty(key));
  return RemoveOwnKeys(store_key);
}

namespace {

constexpr std::uint64_t kMostStateBytes = std::uint64_t{64} << 20U;

std::string PathInImage(std::string_view name) { return fmt::format("{}/{}", kImageStateFolder, name); }

}  // namespace

Result<void> ImageStateFolder::CheckSecurity(std::string_view path) {
  return CheckImageSecurity(PROV_TRY(tree_.Security(path)), PathUse::kSecrets,
                            fmt::format("{}: {}", tree_.Name(), path), AccountForAdministrators());
}

Result<void> ImageStateFolder::CheckFolder() {
  // A medium without descriptors, such as a folder on a Unix file system, has nothing to check.
  if (folder_is_checked_ || !tree_.CanProtect() || !PROV_TRY(tree_.IsFolder(kImageStateFolder))) return {};
  PROV_TRY(CheckSecurity(kImageStateFolder));
  folder_is_checked_ = true;
  return {};
}

Result<void> ImageStateFolder::CheckFile(std::string_view path) {
  PROV_TRY(CheckFolder());
  if (!tree_.CanProtect() || !PROV_TRY(tree_.IsFile(path))) return {};
  return CheckSecurity(path);
}

Result<void> ImageStateFolder::CloseFolder() {
  if (folder_is_closed_) return {};
  if (!PROV_TRY(tree_.IsMadeFor(kImageStateFolder, images::FileUse::kSecret))) {
    PROV_TRY(tree_.SecureFolder(kImageStateFolder, images::FileUse::kSecret));
  }
  folder_is_closed_ = true;
  return {};
}

Result<std::optional<std::string>> ImageStateFolder::Read(std::string_view name) {
  PROV_TRY(CheckFile(PathInImage(name)));
  return tree_.Read(PathInImage(name), kMostStateBytes);
}

Result<void> ImageStateFolder::Write(std::string_view name, std::string_view bytes) {
  PROV_TRY(CheckFile(PathInImage(name)));
  PROV_TRY(CloseFolder());
  return tree_.Write(PathInImage(name), bytes, images::FileUse::kSecret);
}

Result<void> ImageStateFolder::Remove(std::string_view name) {
  PROV_TRY(CheckFolder());
  return tree_.Remove(PathInImage(name));
}

std::string ImageStateFolder::PathOf(std::string_view name) const {
  return fmt::format("{}, {}", tree_.Name(), PathInImage(name));
}

namespace {

constexpr std::string_view kProgram = "Program Files/Provisioner/provisioner.exe";
constexpr std::uint64_t kMaxSignerBytes = std::uint64_t{1} << 20U;

std::unexpected<Error> NothingRuns(std::string_view what) {
  return Fail(Code::kTarget, fmt::format("{} is for a running node, and this is an image", what));
}

std::string Folder(std::string_view path) { return std::string(path.substr(0, path.rfind('/'))); }

std::string WithBackslashes(std::string_view path) {
  std::string out(path);
  std::ranges::replace(out, '/', '\\');
  return out;
}

class ImagePorts final : public OpenMachine {
 public:
  explicit ImagePorts(Machine machine) : machine_(machine) {}
  Machine Ports() override { return machine_; }

 private:
  Machine machine_;
};

constexpr std::uint32_t kOwnProcess = 0x10;  // SERVICE_WIN32_OWN_PROCESS
constexpr std::uint32_t kAutoStart = 2;      // SERVICE_AUTO_START
constexpr std::uint32_t kErrorNormal = 1;    // SERVICE_ERROR_NORMAL
constexpr std::uint32_t kRestart = 1;        // SC_ACTION_RESTART
constexpr std::uint32_t kFailureResetSeconds = 86'400;

// SERVICE_FAILURE_ACTIONS in the memory layout of 32-bit Windows: the period, two absent strings, the number of
// actions, the offset of the first; then the actions with their pauses in milliseconds.
std::string FailureActions() {
  std::string out =
      EncodeDword(kFailureResetSeconds) + EncodeDword(0) + EncodeDword(0) + EncodeDword(3) + EncodeDword(20);
  for (const std::uint32_t milliseconds : {5'000U, 30'000U, 60'000U}) {
    out += EncodeDword(kRestart) + EncodeDword(milliseconds);
  }
  return out;
}

// The registry key of a service. On a running system, only the service control manager writes it.
std::string ServiceDefinitionKey(std::string_view name) {
  return R"(SYSTEM\CurrentControlSet\Services\)" + std::string(name);
}

// Defines a service with its own process, as LocalSystem, started at each boot, restarted after 5, 30 and 60 seconds
// when it fails.
std::vector<RegValue> ServiceValues(const ServiceDefinition& definition) {
  return {{"Type", RegType::kDword, EncodeDword(kOwnProcess)},
          {"Start", RegType::kDword, EncodeDword(kAutoStart)},
          {"ErrorControl", RegType::kDword, EncodeDword(kErrorNormal)},
          {"ImagePath", RegType::kExpandSz, EncodeSz(definition.command_line)},
          {"DisplayName", RegType::kSz, EncodeSz(definition.display_name)},
          {"ObjectName", RegType::kSz, EncodeSz("LocalSystem")},
          {"Description", RegType::kSz, EncodeSz(definition.description)},
          {"FailureActions", RegType::kBinary, FailureActions()}};
}

}  // namespace

class ImageHost::ImageSystem final : public System {
 public:
  explicit ImageSystem(Registry& registry) : registry_(registry) {}

  // "" in a generalised image: Sysprep removes the value.
  Result<std::string> MachineId() override {
    return ReadText(registry_, R"(SOFTWARE\Microsoft\Cryptography)", "MachineGuid");
  }
  Result<std::string> BootId() override { return std::string(); }
  void AnnounceEnvironment() override {}

 private:
  Registry& registry_;
};

class ImageHost::ImageServices final : public Services {
 public:
  explicit ImageServices(Registry& registry) : registry_(registry) {}

  Result<std::optional<ServiceState>> Query(std::string_view name) override {
    if (!PROV_TRY(registry_.KeyExists(ServiceDefinitionKey(name)))) return std::nullopt;
    return ServiceState{};
  }

  Result<bool> Install(const ServiceDefinition& definition) override {
    const std::string key = ServiceDefinitionKey(definition.name);
    bool wrote = false;
    for (const RegValue& value : ServiceValues(definition)) {
      wrote = PROV_TRY(SetIfDifferent(registry_, key, value)) || wrote;
    }
    return wrote;
  }

  // nullopt: a definition is only needed to restore a running service.
  Result<std::optional<ServiceDefinition>> Definition(std::string_view /*name*/) override { return std::nullopt; }

  // Refuses if Windows has added subkeys: without these values the rest would be half a service.
  Result<bool> Remove(std::string_view name) override {
    const std::string key = ServiceDefinitionKey(name);
    if (!PROV_TRY(registry_.KeyExists(key))) return false;
    if (!PROV_TRY(registry_.Subkeys(key)).empty()) {
      return Fail(Code::kTarget,
                  "has subkeys that provisioner did not write, because the image has run: remove the service on a node",
                  key);
    }
    for (const RegValue& value :
         ServiceValues({.name = {}, .display_name = {}, .description = {}, .command_line = {}})) {
      PROV_TRY(registry_.DeleteValue(key, value.name));
    }
    PROV_TRY(registry_.DeleteKeyIfEmpty(key));
    return true;
  }

  Result<void> Start(std::string_view /*name*/) override { return {}; }    // at the next boot
  Result<void> Restart(std::string_view /*name*/) override { return {}; }  // likewise
  Result<bool> Stop(std::string_view /*name*/) override { return false; }
  Result<std::vector<std::string>> EnvironmentOf(std::uint32_t /*process_id*/) override {
    return NothingRuns("an environment block");
  }

 private:
  Registry& registry_;
};

class ImageHost::ImageInstallation final : public Installation {
 public:
  ImageInstallation(images::ImageTree& tree, Registry& registry) : tree_(tree), registry_(registry) {}

  Result<std::string> ProgramPath() override {
    return fmt::format("{}\\{}", PROV_TRY(SystemDrive()), WithBackslashes(kProgram));
  }
  Result<bool> InstallProgram() override { return false; }  // the program is among the files that `--install` writes
  Result<ProgramStatus> ReadProgramStatus() override { return ProgramStatus{}; }
  Result<bool> RestoreProgram() override { return false; }
  void DropFormerProgram() override {}
  Result<bool> RunsProgram(std::uint32_t /*process_id*/) override { return false; }
  Result<bool> RemoveProgram() override {
    const bool there = PROV_TRY(tree_.IsFile(kProgram));
    if (there) PROV_TRY(tree_.Remove(kProgram));
    PROV_TRY(tree_.Remove(kImageSigner));
    PROV_TRY(tree_.RemoveFolderIfEmpty(Folder(kProgram)));
    return there;
  }
  // The file's owner is checked when the image runs. Here, a pinned signer can only make a payload be refused.
  Result<std::optional<std::string>> PinnedSigner() override { return tree_.Read(kImageSigner, kMaxSignerBytes); }
  Result<bool> PinSigner(std::string_view /*der*/) override { return false; }  // likewise
  Result<std::string> SetupScriptsFolder() override {
    return fmt::format("{}\\Windows\\Setup\\Scripts", PROV_TRY(SystemDrive()));
  }
  Result<void> CheckSource(std::string_view /*path*/) override { return {}; }
  Result<std::string> ReadFollowed(std::string_view /*path*/, std::uint64_t /*limit*/) override {
    return NothingRuns("a source that is followed");
  }
  Result<void> RemoveFile(std::string_view /*path*/) override { return {}; }

  Result<void> RemoveState() override {
    // Remove the record last: until then it says what was done here.
    for (const std::string_view file :
         {kJournalPreviousFile, kJournalFile, std::string_view("provisioner.log"),
          std::string_view("provisioner.log.1"), kLockFile, kScriptStateFile, kStatePreviousFile, kStateFile}) {
      // An interrupted run on a node may have left the second and the third.
      for (const std::string_view suffix : {"", ".new", ".old"}) {
        PROV_TRY(tree_.Remove(fmt::format("{}/{}{}", kImageStateFolder, file, suffix)));
      }
    }
    return tree_.RemoveFolderIfEmpty(kImageStateFolder);
  }

 private:
  // The drive letter of the system's volume when the image runs.
  Result<std::string> SystemDrive() {
    const std::string root =
        PROV_TRY(ReadText(registry_, R"(SOFTWARE\Microsoft\Windows NT\CurrentVersion)", "SystemRoot"));
    const bool drive = root.size() > 2 && root[1] == ':' && root[2] == '\\';
    return drive ? root.substr(0, 2) : "C:";
  }

  images::ImageTree& tree_;
  Registry& registry_;
};

class ImageHost::NoEventLog final : public EventLog {
 public:
  void Write(Severity /*severity*/, std::uint16_t /*id*/, std::string_view /*text*/) override {}
};

class ImageHost::NoHttp final : public net::Http {
 public:
  Result<int> Get(const net::HttpRequest& /*request*/) override { return NothingRuns("a probe"); }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& /*request*/) override { return NothingRuns("a request"); }
};

ImageHost::ImageHost(std::unique_ptr<images::ImageTree> tree, Clock& clock, std::uint64_t filetime)
    : tree_(std::move(tree)),
      clock_(clock),
      registry_(*tree_, filetime),
      state_folder_(*tree_),
      state_(state_folder_),
      certificates_(registry_, state_),
      system_(std::make_unique<ImageSystem>(registry_)),
      services_(std::make_unique<ImageServices>(registry_)),
      installation_(std::make_unique<ImageInstallation>(*tree_, registry_)),
      events_(std::make_unique<NoEventLog>()),
      http_(std::make_unique<NoHttp>()) {}

ImageHost::~ImageHost() = default;

Result<Findings> ImageHost::Notes() {
  Findings out;
  if (PROV_TRY(images::IsHibernated(*tree_))) {
    AddWarning(
        out, "hibernated",
        "this Windows is hibernated, or was shut down with fast startup: its newest registry is in hiberfil.sys, "
        "which is not read, so this report may be outdated; plan, apply, rollback and remove refuse such an image",
        tree_->Name());
  }
  const std::string edited = PROV_TRY(registry_.ControlSet());
  if (const auto last = PROV_TRY(registry_.LastControlSet())) {
    AddWarning(out, "control-set",
               fmt::format("Windows ran with {} last and starts with {} next: {} is edited", *last, edited, edited),
               tree_->Name());
  }
  for (Finding& replay : PROV_TRY(registry_.Replays())) out.push_back(std::move(replay));
  return out;
}

Result<std::unique_ptr<OpenMachine>> ImageHost::Open(Access /*access*/) {
  return std::make_unique<ImagePorts>(Machine{registry_, certificates_, state_, *system_});
}

Services& ImageHost::services() { return *services_; }
EventLog& ImageHost::events() { return *events_; }
net::Http& ImageHost::http() { return *http_; }
Installation& ImageHost::installation() { return *installation_; }

Result<void> ImageHost::Reboot(std::string_view /*reason*/) { return NothingRuns("a reboot"); }
Result<void> ImageHost::RunAsService(std::string_view /*name*/, const std::function<void()>& /*body*/) {
  return NothingRuns("a service");
}

Result<void> ImageHost::Commit() {
  PROV_TRY(registry_.Flush());
  return tree_->WritesTogether() ? Result<void>() : tree_->Commit();
}

}  // namespace prov::machine
