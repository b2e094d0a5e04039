// The ports over an image must do what every machine's ports do.
#include <gmock/gmock.h>

#include "images/registry/security.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/machine/image_host.h"
#include "tests/machine/ports_suite.h"
#include "tests/support/borrowed_tree.h"
#include "tests/support/memory_tree.h"
#include "tests/support/result.h"
#include "tests/support/sample_image.h"

namespace prov::machine {
namespace {

class NoClock final : public Clock {
 public:
  std::int64_t NowUnix() override { return 1'800'000'000; }
  bool Wait(std::int64_t /*milliseconds*/) override { return false; }
};

class ImageSpecimen final : public Specimen {
 public:
  ImageSpecimen() {
    tree_.Put("Windows/System32/config/SYSTEM", testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
    tree_.Put("Windows/System32/config/SOFTWARE",
              testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
    Open();
  }

  Machine Ports() override { return open_->Ports(); }
  bool Runs() const override { return false; }

  void Reopen() override {
    EXPECT_TRUE(host_->Commit());
    Open();
  }

  void PutDisallowed(const std::string& der) override {
    Put(R"(SOFTWARE\Microsoft\SystemCertificates\Disallowed)", der);
  }

  bool PutForeign(pki::Store store, const std::string& der) override {
    Put(R"(SOFTWARE\Policies\Microsoft\SystemCertificates\)" + std::string(NameOf(store)), der);
    return true;
  }

 private:
  void Open() {
    open_.reset();
    host_ = std::make_unique<ImageHost>(std::make_unique<testing_support::BorrowedTree>(tree_), clock_,
                                        testing_support::kSampleWriteTime);
    auto open = Must(host_->Open(Access::kWrite));
    open_ = std::move(open);
  }

  void Put(const std::string& store, const std::string& der) {
    Must(Ports().registry.Set(store + "\\Certificates\\" + CertificateKeyName(der),
                              {"Blob", images::RegType::kBinary, EncodeCertificateBlob(der)}));
  }

  NoClock clock_;
  testing_support::MemoryTree tree_;
  std::unique_ptr<ImageHost> host_;
  std::unique_ptr<OpenMachine> open_;
};

// All that has to be mended is named at once, as commands of the machine that is captured.
TEST(ImageFilesWay, EachFolderThatUsersMayChangeIsNamed) {
  NoClock clock;
  testing_support::MemoryTree tree;
  tree.Put("Windows/System32/config/SYSTEM", testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
  tree.Put("Windows/System32/config/SOFTWARE",
           testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  tree.PutFolder("containerd/certs.d/quay.io");
  // Windows has so what is made below C:\.
  const std::string wide = images::AdministratorsDescriptor({{images::Grant::Who::kUsers, 3, 0x001301BF}}, false);
  for (const char* folder : {"containerd", "containerd/certs.d", "containerd/certs.d/quay.io"})
    tree.SetSecurity(folder, wide);
  ImageHost host(std::make_unique<testing_support::BorrowedTree>(tree), clock, testing_support::kSampleWriteTime);
  auto open = Must(host.Open(Access::kWrite));
  const Error put = ErrorIn(
      open->Ports().files.PutFile(R"(C:\containerd\certs.d\quay.io\hosts.toml)", "[host]\n", FileAccess::kKept));
  EXPECT_EQ(put.code, Code::kOwner);
  EXPECT_THAT(put.where, testing::EndsWith(": containerd"));
  for (const char* folder : {R"(C:\containerd")", R"(C:\containerd\certs.d")", R"(C:\containerd\certs.d\quay.io")"})
    EXPECT_THAT(put.message, testing::HasSubstr(std::string("icacls \"") + folder)) << folder;
  EXPECT_FALSE(tree.IsFile("containerd/certs.d/quay.io/hosts.toml").value());
}

INSTANTIATE_TEST_SUITE_P(Image, Ports,
                         testing::Values(SpecimenKind{"Image", [] { return std::make_unique<ImageSpecimen>(); }}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace prov::machine
