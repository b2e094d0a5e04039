// What every adapter of the machine's ports must do. The tests are in ports_test.cc; each kind of machine is put before
// them where its adapter can run.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "provisioner/machine/machine.h"

namespace prov::machine {

// A machine on which tests may write below kTestKey, kTestSystemKey, in the state folder, and their own certificates.
inline constexpr std::string_view kTestKey = R"(SOFTWARE\ProvisionerTest)";
inline constexpr std::string_view kTestSystemKey = R"(SYSTEM\ProvisionerTest)";

class Specimen {
 public:
  virtual ~Specimen() = default;
  virtual Machine Ports() = 0;
  virtual bool Runs() const { return true; }                                   // else it has no boot
  virtual std::string FilesFolder() const { return R"(C:\ProvisionerTest)"; }  // below which tests may make files
  virtual bool HasFileRights() const { return true; }  // else who may read a file is not kept as it is set
  virtual void Reopen() = 0;                           // as another run of the program would see the machine

  // What others than this program do.
  virtual void PutDisallowed(const std::string& der) = 0;
  // In another physical store; false if this machine has none.
  virtual bool PutForeign(pki::Store store, const std::string& der) = 0;
};

struct SpecimenKind {
  std::string name;
  std::function<std::unique_ptr<Specimen>()> make;
};

class Ports : public testing::TestWithParam<SpecimenKind> {
 protected:
  void SetUp() override {
    specimen_ = GetParam().make();
    ASSERT_NE(specimen_, nullptr);
  }
  Machine machine() { return specimen_->Ports(); }

  std::unique_ptr<Specimen> specimen_;
};

// The throw-away certificates of tests/sample.
std::string RootDer();
std::string SecondRootDer();
std::string IntermediateDer();

}  // namespace prov::machine
