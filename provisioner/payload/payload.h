// A payload: the files that `bake` passes to a golden-image pipeline or a machine set, in memory. Pure: the same input
// gives the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/unattend/answer_file.h"

namespace prov::payload {

// The signature of manifest.json, if the payload is signed (payload_signature.h).
inline constexpr std::string_view kSignaturePath = "manifest.json.p7s";
// The certificate of the signer that a signed payload introduces (pin.h), in DER.
inline constexpr std::string_view kNextSignerPath = "next-signer.cer";

// The generation that `bake` gives a payload by default: unsigned payloads with it have no order among themselves.
inline constexpr std::int64_t kDefaultGeneration = 1;

struct PayloadFile {
  std::string path;  // relative, '/' as separator
  std::string bytes;
  bool secret = false;  // holds credentials: only its owner may read it
  std::string purpose;  // one line: what it is for

  unsigned Mode() const { return secret ? 0600 : 0644; }
};

struct Payload {
  std::int64_t generation = kDefaultGeneration;
  // Sorted by path. manifest.json is one of them and lists all others but its own signature.
  std::vector<PayloadFile> files;
  std::string cluster = {};  // as in ManifestHead
};

struct PayloadOptions {
  std::int64_t generation = kDefaultGeneration;
  std::optional<std::string> exe;  // bytes of provisioner.exe
  // An answer file with PayloadCommand() in it; the payload carries it in place of its own.
  std::optional<std::string> unattend = {};
  std::string cluster = {};      // as in ManifestHead
  std::string next_signer = {};  // DER; "": it introduces none
};

// The command with which an answer file applies a payload.
unattend::AnswerFileCommand PayloadCommand();

// trust/bundle.pem: the certificates of the state.
std::string BundlePem(const reconcile::DesiredState& state);

// Makes the payload. Moves the program out of `options`, so that its bytes are in memory only once.
Result<Payload> MakePayload(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                            PayloadOptions options);

// Whether a payload can have a file or a folder at this relative path. Other files are not ours.
bool IsPayloadPath(std::string_view path);
bool IsPayloadFolder(std::string_view path);

}  // namespace prov::payload
