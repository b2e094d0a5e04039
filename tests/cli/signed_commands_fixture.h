// Commands on a machine in memory, a payload that is signed, and two signers.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "provisioner/node/pin.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"
#include "tests/support/sign_payload.h"

namespace prov::cli {

namespace fs = std::filesystem;

using Maker = Command (*)();

class SignedCommands : public machine_commands::MachineCommands {
 protected:
  SignedCommands() {
    testing_support::PutBytes(root_ / "signer.pem", ours_.made.pem);
    testing_support::PutBytes(root_ / "signer.cer", ours_.made.der);
    testing_support::PutBytes(root_ / "key.pem", ours_.key_pem);
    testing_support::PutBytes(root_ / "other.pem", theirs_.made.pem);
    testing_support::PutBytes(root_ / "other-key.pem", theirs_.key_pem);
    Bake();
  }

  std::string At(const std::string& name) const { return (root_ / name).string(); }
  std::string Payload() const { return At("payload"); }
  // The payload, with us as the signer that it must have.
  std::vector<std::string> Signed(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {Payload(), "--signer", At("signer.pem")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // A payload of generation N, signed by us.
  void Bake(const std::string& generation = "1", const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {source_,          "--out",        Payload(),     "--service",
                                      "containerd",     "--sign",       At("key.pem"), "--signer",
                                      At("signer.pem"), "--generation", generation};
    words.insert(words.end(), more.begin(), more.end());
    Must(Run(BakeCommand, words));
  }

  Code Refusal(Maker make, const std::vector<std::string>& words) {
    const auto outcome = Run(make, words);
    EXPECT_FALSE(outcome) << make().spec.name << " took it";
    return outcome ? Code::kInternal : outcome.error().code;
  }

  // Each command that changes the machine refuses with this code, and the machine is as it was: nothing is written, not
  // even our own files.
  void ExpectUntouched(Code code, const std::vector<std::string>& words) {
    host_.memory.log.clear();
    const std::string before = host_.memory.content().Text();
    const auto files = host_.memory.files();
    const auto pinned = host_.pin;
    const auto installed = [&] {
      return std::pair(host_.program_installed, host_.services_by_name.contains("provisioner"));
    };
    const auto before_them = installed();
    for (const Maker make : {PlanCommand, ApplyCommand, FirstBootCommand}) {
      EXPECT_EQ(Refusal(make, words), code) << make().spec.name;
    }
    std::vector<std::string> trial = words;
    trial.insert(trial.end(), {"--try", "5"});
    EXPECT_EQ(Refusal(ApplyCommand, trial), code);
    std::vector<std::string> service = words;
    service.front() = "--source=" + words.front();
    service.insert(service.begin(), "install");
    EXPECT_EQ(Refusal(ServiceCommand, service), code);
    EXPECT_THAT(host_.memory.log, testing::IsEmpty());
    EXPECT_EQ(host_.memory.content().Text(), before);
    EXPECT_EQ(host_.memory.files(), files);
    EXPECT_EQ(host_.pin, pinned);
    EXPECT_EQ(installed(), before_them);
  }

  // The pinned signers, in DER.
  std::vector<std::string> Pinned() {
    const auto pin = Must(node::LoadPin(host_));
    std::vector<std::string> out;
    for (const pki::Certificate& signer : pin.signers) out.push_back(signer.der);
    return out;
  }

  static std::vector<std::string> Codes(const Result<Outcome>& outcome) {
    return outcome ? testing_support::CodesOf(outcome->findings) : std::vector<std::string>();
  }

  const testing_support::TestSigner ours_{"Payload Signer"};
  const testing_support::TestSigner theirs_{"Payload Signer", "rsa2048#other"};
};

}  // namespace prov::cli
