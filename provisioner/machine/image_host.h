// An image in the place of a running system: it offers the same ports, but no process runs in it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "images/tree/image_tree.h"
#include "provisioner/machine/certificate_store.h"
#include "provisioner/machine/host.h"
#include "provisioner/machine/image_registry.h"
#include "provisioner/machine/registry.h"
#include "provisioner/machine/state_folder.h"
#include "provisioner/machine/state_record.h"

namespace prov::machine {

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

// The pinned signer of payloads.
inline constexpr std::string_view kImageSigner = "Program Files/Provisioner/signer.cer";

class ImageHost final : public Host {
 public:
  // `clock` must outlive this. `filetime` is the timestamp for what is written into hives.
  ImageHost(std::unique_ptr<images::ImageTree> tree, Clock& clock, std::uint64_t filetime);
  ~ImageHost() override;

  images::ImageTree& tree() { return *tree_; }
  // Findings about this image that apply to every command: hibernation, control sets that are left alone, hives whose
  // logs are replayed. Call it before anything is written. Errors: those of ImageRegistry.
  Result<Findings> Notes();

  std::string Name() const override { return tree_->Name(); }
  Result<std::unique_ptr<OpenMachine>> Open(Access access) override;
  Services& services() override;
  EventLog& events() override;
  Clock& clock() override { return clock_; }
  net::Http& http() override;
  Installation& installation() override;
  Result<void> Reboot(std::string_view reason) override;
  Result<void> RunAsService(std::string_view name, const std::function<void()>& body) override;
  // Writes the hives. WimFile::Commit writes the contents of a WIM file after this.
  Result<void> Commit() override;

 private:
  class ImageSystem;
  class ImageServices;
  class ImageInstallation;
  class NoEventLog;
  class NoHttp;

  std::unique_ptr<images::ImageTree> tree_;
  Clock& clock_;
  ImageRegistry registry_;
  ImageStateFolder state_folder_;
  StateRecord state_;
  ImageCertificateStore certificates_;
  std::unique_ptr<ImageSystem> system_;
  std::unique_ptr<ImageServices> services_;
  std::unique_ptr<ImageInstallation> installation_;
  std::unique_ptr<NoEventLog> events_;
  std::unique_ptr<NoHttp> http_;
};

}  // namespace prov::machine
