// An image in the place of a running system: the same ports, but nothing runs.
#pragma once

#include <memory>
#include <optional>

#include "images/tree/image_tree.h"
#include "provisioner/machine/host.h"
#include "provisioner/machine/image_certificate_store.h"
#include "provisioner/machine/image_registry.h"
#include "provisioner/machine/image_state_folder.h"

namespace prov::machine {

// The pinned signer of payloads.
inline constexpr std::string_view kImageSigner = "Program Files/Provisioner/signer.cer";

class ImageHost final : public Host {
 public:
  // `clock` must outlive this. `filetime` is the time of what is written into hives.
  ImageHost(std::unique_ptr<images::ImageTree> tree, Clock& clock, std::uint64_t filetime);
  ~ImageHost() override;

  images::ImageTree& tree() { return *tree_; }
  // What a person should know of this image, whatever the command: hibernation, control sets that are left alone, hives
  // whose logs are replayed. To be asked before anything is written. Errors: those of ImageRegistry.
  Result<Findings> Notes();

  Result<std::uint64_t> HiveBytes(std::string_view hive) { return registry_.HiveBytes(hive); }

  std::string Name() const override { return tree_->Name(); }
  Result<std::unique_ptr<OpenMachine>> Open(Access access) override;
  Services& services() override;
  EventLog& events() override;
  Clock& clock() override { return clock_; }
  net::Http& http() override;
  Installation& installation() override;
  Result<void> Reboot(std::string_view reason) override;
  Result<void> RunAsService(std::string_view name, const std::function<void()>& body) override;
  // The hives. What a WIM file holds is written by WimFile::Commit after this.
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
