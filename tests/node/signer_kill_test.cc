// A run that changes the pinned signers is killed at every call of a port: an introduction is in the pin before the
// payload counts, the former signer goes after its follower's payload was applied, and repeated it gets there.
#include "provisioner/node/pin.h"
#include "tests/node/node_helpers.h"
#include "tests/support/kills.h"
#include "tests/support/sign_payload.h"

namespace prov::node {
namespace {

using testing_support::MemoryHost;
using testing_support::TestSigner;

class SignerKill : public NodeTest {
 protected:
  // As a run reads a payload that was baked by A, B or C: with what the pin accepts now. `next`: '-' for none.
  Result<void> Take(MemoryHost& host, char by, char next, std::int64_t generation) const {
    const payload::Pin pin = PROV_TRY(LoadPin(host));
    Settings settings = generation % 2 == 1 ? SampleSettings(generation) : OtherSettings(generation);
    settings.payload = std::string(1, by) + next;
    for (const pki::Certificate& one : pin.signers) settings.signers.push_back(one.sha256);
    settings.signer = At(by).certificate.sha256;
    if (std::ranges::find(settings.signers, settings.signer) == settings.signers.end())
      return Fail(Code::kSignature, "by another signer");
    if (next != '-') settings.next_signer = At(next).certificate;
    OpenNode node = NodeOn(host);
    PROV_TRY(ApplySettings(node, settings, {}));
    return {};
  }

  std::string Names(MemoryHost& host) const {
    std::string out;
    const auto pin = LoadPin(host);
    EXPECT_TRUE(pin) << pin.error().message;
    for (const pki::Certificate& one : pin ? pin->signers : std::vector<pki::Certificate>()) {
      for (char name = 'A'; name <= 'C'; ++name) {
        if (one.sha256 == At(name).certificate.sha256) out += name;
      }
    }
    return out;
  }

  // The pins that kills of this run left.
  std::set<std::string> AtEveryCall(const MemoryHost& start, char by, char next, std::int64_t generation,
                                    const std::string& done) const {
    std::set<std::string> out;
    const auto take = [&](MemoryHost& host) { EXPECT_TRUE(Take(host, by, next, generation)); };
    testing_support::KillAtEveryCall(start, take, [&](MemoryHost& host, std::size_t) {
      out.insert(Names(host));
      if (by == 'B') {
        MemoryHost former = host;
        OpenNode node = NodeOn(former);
        EXPECT_TRUE(BeginRun(node));
        const auto minimum = LoadMinimum(node.machine.state);
        const bool replaced = minimum && *minimum && (*minimum)->signer == At('B').certificate.sha256;
        EXPECT_EQ(Take(former, 'A', '-', 9).has_value(), !replaced) << "once B's payload counts, A's is refused";
      }
      EXPECT_TRUE(Take(host, by, next, generation)) << "repeated";
      EXPECT_EQ(Names(host), done);
    });
    return out;
  }

  const TestSigner& At(char name) const { return signers_.at(static_cast<std::size_t>(name - 'A')); }

  const std::vector<TestSigner> signers_ = {TestSigner("A"), TestSigner("B"), TestSigner("C")};
};

TEST_F(SignerKill, EachStepIsDoneOrNotAndIsRepeated) {
  host_.pin = payload::PinJson({.signers = {At('A').certificate}});
  ASSERT_TRUE(Take(host_, 'A', '-', 1));
  EXPECT_EQ(AtEveryCall(host_, 'A', 'B', 2, "AB"), (std::set<std::string>{"A", "AB"}));
  ASSERT_TRUE(Take(host_, 'A', 'B', 2));
  EXPECT_EQ(AtEveryCall(host_, 'B', 'C', 3, "BC"), (std::set<std::string>{"AB", "ABC", "BC"}));
}

}  // namespace
}  // namespace prov::node
