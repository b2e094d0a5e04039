// An image in the place of a running system: it offers the same ports, but no process runs in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "images/tree/image_tree.h"
#include "provisioner/machine/host.h"
#include "provisioner/machine/image_ports.h"
#include "provisioner/machine/image_registry.h"

namespace prov::machine {

class ImageHost final : public Host {
 public:
  // `clock` must outlive this. `filetime` is the timestamp for what is written into hives.
  ImageHost(std::unique_ptr<images::ImageTree> tree, Clock& clock, std::uint64_t filetime);
  ImageHost(const ImageHost&) = delete;
  ImageHost& operator=(const ImageHost&) = delete;

  images::ImageTree& tree() { return *tree_; }
  // Findings about this image that apply to every command: hibernation, control sets that are left alone, hives whose
  // logs are replayed. Call it before anything is written. Errors: those of ImageRegistry.
  Result<Findings> Notes();

  std::string Name() const override { return tree_->Name(); }
  Result<std::unique_ptr<OpenMachine>> Open(Access access) override;
  Services& services() override { return services_; }
  EventLog& events() override { return events_; }
  Clock& clock() override { return clock_; }
  net::Http& http() override { return http_; }
  Installation& installation() override { return installation_; }
  Result<void> Reboot(std::string_view reason) override;
  Result<void> RunAsService(std::string_view name, const std::function<void()>& body) override;
  // Writes the hives if an operation has not done so yet. In a folder they are durable then; a WIM file is written by
  // WimFile::Commit, after this.
  Result<void> Commit() override;

 private:
  std::unique_ptr<images::ImageTree> tree_;
  Clock& clock_;
  ImageRegistry registry_;
  ImageStateFolder state_folder_{*tree_};
  StateRecord state_{state_folder_};
  ImageCertificateStore certificates_{registry_, state_};
  ImageFiles files_{*tree_, registry_};
  ImageSystem system_{registry_};
  ImageServices services_{registry_};
  ImageInstallation installation_{*tree_, registry_};
  ImageEventLog events_;
  ImageHttp http_;
};

}  // namespace prov::machine
