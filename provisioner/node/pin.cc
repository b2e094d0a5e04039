#include "provisioner/node/pin.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "provisioner/node/records.h"
#include "provisioner/payload/payload_signature.h"

namespace prov::node {
namespace {

bool Accepts(const payload::Pin& pin, const pki::Certificate& signer) {
  return std::ranges::find(pin.signers, signer.sha256, &pki::Certificate::sha256) != pin.signers.end();
}

}  // namespace

Result<payload::Pin> LoadPin(machine::Host& host) {
  const auto bytes = PROV_TRY(host.installation().ReadPin());
  return bytes ? payload::ParsePin(*bytes, "pin.json, the pin of " + host.Name()) : payload::Pin{};
}

Result<payload::Pin> PinWith(machine::Host& host, const payload::Pin& given) {
  Result<payload::Pin> pin = LoadPin(host);
  if (pin) return With(*std::move(pin), given);
  const bool damaged = pin.error().code != Code::kIo;  // after an error of the disk it may be whole
  return damaged && !given.signers.empty() ? given : pin;
}

Result<bool> PinGiven(machine::Host& host, const payload::Pin& given, Findings& findings) {
  if (given.empty()) return false;
  const auto before = LoadPin(host);
  const payload::Pin pin = PROV_TRY(PinWith(host, given));
  if (!PROV_TRY(host.installation().WritePin(payload::PinJson(pin)))) return false;
  std::string message = fmt::format("from now on only {} are taken here", Describe(pin));
  if (!before) {
    message += fmt::format("; the pin before could not be read ({}), so give --for again if it named a cluster",
                           before.error().message);
  }
  AddInfo(findings, "signer-pinned", std::move(message), host.Name());
  return true;
}

Result<void> UpdateSigners(OpenNode& node, const Settings& settings, Findings& findings) {
  if (settings.signer.empty()) return {};
  const payload::Pin before = PROV_TRY(LoadPin(node.host));
  if (before.signers.empty()) return {};
  payload::Pin pin = before;
  if (const auto minimum = PROV_TRY(LoadMinimum(node.machine.state))) Retire(pin, minimum->signer);
  if (settings.next_signer) Introduce(pin, settings.signer, *settings.next_signer);
  if (PinJson(pin) == PinJson(before)) return {};
  if (!PROV_TRY(node.host.installation().WritePin(payload::PinJson(pin)))) {
    if (!HasFinding(findings, "signer-not-introduced")) {  // a run asks twice
      AddWarning(findings, "signer-not-introduced",
                 "the signers that are pinned in this image stay as they are: give --install, which writes them",
                 node.host.Name());
    }
    return {};
  }
  for (const pki::Certificate& signer : pin.signers) {
    if (Accepts(before, signer)) continue;
    AddInfo(findings, "signer-introduced",
            fmt::format("payloads by {} are taken here, too, as the present signer introduced it",
                        payload::NameOfSigner(signer)),
            node.host.Name());
  }
  for (const pki::Certificate& signer : before.signers) {
    if (Accepts(pin, signer)) continue;
    AddInfo(findings, "signer-replaced",
            fmt::format("payloads by {} are not taken here any more: the present signer is {}",
                        payload::NameOfSigner(signer), payload::NameOfSigner(pin.signers.front())),
            node.host.Name());
  }
  return {};
}

}  // namespace prov::node
