// One node over time: commands of ours in any order, with changes of others between any two. Afterwards nothing of ours
// is left, and everything of others is.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <random>
#include <set>

#include "provisioner/base/text.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "tests/node/node_helpers.h"
#include "tests/support/amount.h"

namespace prov::node {
namespace {

using images::RegType;
using reconcile::kConnections;
using reconcile::kContainerd;
using reconcile::kEnv;
using testing_support::MemoryHost;
using testing_support::MemoryMachine;

// Every value of ours holds the word "ours", every one of others "theirs".
struct Holding {
  std::set<std::string> anywhere;  // "PLACE TEXT"
  std::set<std::string> beside;    // of these, those in places that we never write
};

void Note(Holding& out, const std::string& place, std::string_view name, const std::string& text,
          std::string_view word) {
  if (text.find(word) == std::string::npos) return;
  out.anywhere.insert(place + " " + text);
  const std::string lower = AsciiLower(name);
  const bool is_our_place =
      lower == "http_proxy" || lower == "https_proxy" || lower == "no_proxy" || lower == "winhttpsettings";
  if (!is_our_place) out.beside.insert(place + " " + text);
}

Holding HoldingOf(const MemoryMachine& machine, std::string_view word) {
  Holding out;
  for (const auto& [path, key] : machine.content().keys) {
    for (const auto& [name, value] : key.values) {
      const bool is_binary = value.type == RegType::kBinary;
      const std::string text = is_binary ? value.data : FromUtf16Le(value.data).value_or("");
      if (name != "environment" && name != "appenvironmentextra") {
        Note(out, path + "\\" + name, name, text, word);
        continue;
      }
      for (const std::string_view entry : Split(text, '\0')) {
        Note(out, path, reconcile::NameOfEntry(entry), std::string(entry), word);
      }
    }
  }
  for (const auto& [store, certificates] : machine.content().certificates) {
    for (const auto& [der, own] : certificates) Note(out, std::string(NameOf(store)), der, der, word);
  }
  return out;
}

// What happens, by chance.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : random_(seed + 1) { reconcile::PutWindows(host_.memory); }

  MemoryMachine& machine() { return host_.memory; }
  bool Yes() { return random_() % 2 == 0; }
  std::size_t Below(std::size_t n) { return random_() % n; }

  // One of our commands; returns whether it may write over what others have set.
  bool Command() {
    OpenNode node = NodeOn(host_);
    switch (Below(8)) {
      case 0:
        Expect(TrySettings(node, Wanted(), {}, 60));
        return true;
      case 1:
        Expect(ConfirmTrial(node), Code::kTarget);
        return false;
      case 2:
      case 3:
        Expect(Rollback(node), Code::kTarget);
        return false;
      case 4:
        Expect(RemoveSettings(node));
        return false;
      default:
        Expect(ApplySettings(node, Wanted(), {}));
        return true;
    }
  }

  void Remove() {
    OpenNode node = NodeOn(host_);
    Expect(RemoveSettings(node));
  }

  void ChangeByOthers() {
    MemoryMachine& machine = host_.memory;
    const std::string theirs = fmt::format("theirs-{}", ++number_);
    switch (Below(10)) {
      case 0:
        return machine.Put(kEnv, reconcile::Sz(fmt::format("VARIABLE_{}", number_), theirs));
      case 1:
        return machine.Put(kEnv, reconcile::Sz(Yes() ? "HTTP_PROXY" : "no_proxy", theirs));
      case 2:
        return machine.Put(kConnections, {"WinHttpSettings", RegType::kBinary,
                                          reconcile::EncodeWinHttp({.proxy = {theirs + ":1", ""}})});
      case 3:
        return WriteOursInAnotherForm();
      case 4:
        return EditList([&](auto& list) { list.push_back(fmt::format("NAME_{}={}", number_, theirs)); });
      case 5:
        return EditList([&](auto& list) {
          std::erase_if(list, [](const std::string& one) { return reconcile::IsEntryOf(one, "HTTPS_PROXY"); });
          list.insert(list.begin(), "https_proxy=" + theirs);
        });
      case 6:  // the service is deleted and made again
        return machine.Put(kContainerd, reconcile::ServiceList({"HTTP_PROXY=" + theirs, "NEW=" + theirs}));
      case 9:
        return machine.Put(std::string(kContainerd) + R"(\Parameters)",
                           {"AppEnvironmentExtra", RegType::kMultiSz,
                            images::EncodeMultiSz({"HTTPS_PROXY=" + theirs, "NSSM=" + theirs})});
      case 7:
        machine.content().certificates[pki::Store::kRoot][theirs] = true;
        return machine.MakeDurable();
      default:
        return AddOurCertificate();
    }
  }

  // Whether others put the certificate of ours into the store.
  bool certificate_is_theirs() const { return certificate_is_theirs_; }
  bool HoldsCertificate() { return Certificates().contains(Certificate().der); }

 private:
  static const pki::Certificate& Certificate() {
    static const pki::Certificate one = testing_support::SampleCertificates().at(2);  // goes into CA
    return one;
  }
  std::map<std::string, bool>& Certificates() { return host_.memory.content().certificates[pki::Store::kCa]; }

  Settings Wanted() {
    static const Settings sample = SampleSettings(std::nullopt);
    static const std::vector<std::string> urls = {"http://ours-a:1", "http://user:ours-secret@proxy:2",
                                                  "http://ours-c:3"};
    Settings out = sample;
    out.config.http_proxy = Yes() ? std::optional(Secret(urls[Below(3)])) : std::nullopt;
    out.config.https_proxy = Yes() ? std::optional(Secret(urls[Below(3)])) : std::nullopt;
    out.config.no_proxy = Yes() ? std::optional<std::string>("a.ours,b.ours") : std::nullopt;
    out.config.proxy_file.present = Below(8) != 0;
    out.config.certificates.clear();
    if (Yes()) out.config.certificates.push_back(Certificate());
    out.options.services.clear();
    for (const char* name : {"containerd", "kubelet"}) {
      if (Yes()) out.options.services.emplace_back(name);
    }
    if (Below(3) == 0) out.options.scope = {Yes(), Yes(), Yes(), Yes(), Yes()};
    return out;
  }

  // Windows counts each change of WinHTTP's settings, and a tool may sort a list.
  void WriteOursInAnotherForm() {
    MemoryMachine& machine = host_.memory;
    if (const auto value = machine.At(kConnections, "WinHttpSettings")) {
      auto settings = reconcile::DecodeWinHttp(value->data);
      if (settings && settings->proxy.proxy.find("ours") != std::string::npos) {
        ++settings->counter;
        machine.Put(kConnections, {value->name, value->type, reconcile::EncodeWinHttp(*settings)});
      }
    }
    if (reconcile::TextAt(machine, kEnv, "NO_PROXY") == "a.ours,b.ours") {
      machine.Put(kEnv, reconcile::Sz("NO_PROXY", "b.ours,a.ours"));
    }
  }

  // By a tool that keeps what it finds in the list.
  void EditList(const std::function<void(std::vector<std::string>&)>& edit) {
    std::vector<std::string> list = reconcile::EntriesIn(host_.memory.At(kContainerd, "Environment"));
    edit(list);
    host_.memory.Put(kContainerd, reconcile::ServiceList(list));
  }

  // Not during a trial: whether the trial had removed ours before can't be known.
  void AddOurCertificate() {
    if (host_.memory.files().contains("journal.json") || HoldsCertificate()) return;
    Certificates()[Certificate().der] = true;
    host_.memory.MakeDurable();
    certificate_is_theirs_ = true;
  }

  // Done, or refused because there was nothing to do.
  static void Expect(const Result<reconcile::RunReport>& report, std::optional<Code> refusal = {}) {
    EXPECT_TRUE(report || report.error().code == refusal) << report.error().message;
  }

  MemoryHost host_;
  std::minstd_rand random_;
  int number_ = 0;
  bool certificate_is_theirs_ = false;
};

TEST(NodeHistories, NothingOfOursIsLeftAndEverythingOfOthersIs) {
  for (std::uint32_t seed = 0; seed < testing_support::Amount(1'000); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Chance chance(seed);
    for (int step = 0; step < 8; ++step) {
      const Holding before = HoldingOf(chance.machine(), "theirs");
      while (chance.Yes()) chance.ChangeByOthers();
      const Holding changed = HoldingOf(chance.machine(), "theirs");
      const bool may_write_over = chance.Command();
      const Holding after = HoldingOf(chance.machine(), "theirs");
      ASSERT_EQ(after.beside, changed.beside) << "step " << step;
      for (const std::string& one : changed.anywhere) {
        if (may_write_over || before.anywhere.contains(one)) continue;
        ASSERT_TRUE(after.anywhere.contains(one)) << "step " << step << ": " << one;
      }
    }
    chance.Remove();
    ASSERT_EQ(HoldingOf(chance.machine(), "ours").anywhere, std::set<std::string>());
    ASSERT_EQ(chance.HoldsCertificate(), chance.certificate_is_theirs());
    ASSERT_TRUE(reconcile::LoadLedger(chance.machine().State())->empty());
    ASSERT_FALSE(chance.machine().Section(reconcile::kLastSection)) << "it holds the password";
  }
}

}  // namespace
}  // namespace prov::node
