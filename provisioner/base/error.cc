#include "provisioner/base/error.h"

#include <array>

namespace prov {
namespace {

constexpr std::array kCodes = {
    CodeInfo{Code::kJson, "json", 11, "the JSON is malformed, nested deeper than 1,000 or not UTF-8"},
    CodeInfo{Code::kYaml, "yaml", 11, "the YAML is malformed or uses anchors, aliases or tags"},
    CodeInfo{Code::kType, "type", 11, "a member has the wrong JSON type"},
    CodeInfo{Code::kKind, "kind", 11, "the document is of a kind that holds no egress settings"},
    CodeInfo{Code::kVersion, "version", 11, "the Ignition version is missing, malformed or not supported"},
    CodeInfo{Code::kInvalidConfig, "invalid-config", 11, "the Ignition config breaks a rule of its specification"},
    CodeInfo{Code::kNoConfig, "no-config", 11, "the MachineConfig has no Ignition config"},
    CodeInfo{Code::kNotFound, "not-found", 11, "the named source, object or file does not exist"},
    CodeInfo{Code::kDataUrl, "data-url", 11, "a data URL is malformed"},
    CodeInfo{Code::kScheme, "scheme", 11, "a source URL has a scheme that Ignition does not know"},
    CodeInfo{Code::kCompression, "compression", 11, "the compression method is not one of Ignition's"},
    CodeInfo{Code::kDecompress, "decompress", 11, "compressed contents are damaged or not compressed at all"},
    CodeInfo{Code::kTooLarge, "too-large", 11, "the input or a decompressed file exceeds the limit"},
    CodeInfo{Code::kHashSpec, "hash-spec", 11, "verification.hash is malformed or of an unknown function"},
    CodeInfo{Code::kHashMismatch, "hash-mismatch", 11, "contents do not have the hash that the config states"},
    CodeInfo{Code::kRemoteSource, "remote-source", 11, "a wanted file's contents are at a remote URL"},
    CodeInfo{Code::kMergeRemote, "merge-remote", 11, "the config merges or is replaced by a remote one"},
    CodeInfo{Code::kDuplicatePath, "duplicate-path", 11, "two entries of the config have the same path"},
    CodeInfo{Code::kLink, "link", 11, "a wanted path is a link or lies below one"},
    CodeInfo{Code::kDirectory, "directory", 11, "a wanted path is a directory"},
    CodeInfo{Code::kEnvNul, "env-nul", 11, "an environment file holds a NUL byte"},
    CodeInfo{Code::kEnvUtf8, "env-utf8", 11, "an environment file holds invalid UTF-8"},
    CodeInfo{Code::kProxyUrl, "proxy-url", 11, "a proxy URL is malformed: clients would go direct or elsewhere"},
    CodeInfo{Code::kNoProxy, "no-proxy", 11, "NO_PROXY holds a control character"},
    CodeInfo{Code::kCert, "cert", 11, "a certificate or bundle is damaged"},
    CodeInfo{Code::kXml, "xml", 11, "an answer file is malformed"},
    CodeInfo{Code::kRow, "row", 11, "a row of a node list is invalid"},
    CodeInfo{Code::kShrink, "shrink", 12, "a raw bundle lost over half of its certificates"},
    CodeInfo{Code::kDirtyHive, "dirty-hive", 12, "a registry hive was not closed cleanly"},
    CodeInfo{Code::kHive, "hive", 12, "a registry hive is damaged or of an unknown version"},
    CodeInfo{Code::kFailOpen, "fail-open", 12, "applying this would let traffic bypass the proxy silently"},
    CodeInfo{Code::kSizeLimit, "size-limit", 12, "a value or payload exceeds what its consumer takes"},
    CodeInfo{Code::kReservedName, "reserved-name", 12, "the name belongs to another component"},
    CodeInfo{Code::kDowngrade, "downgrade", 12,
             "the payload is older than one that was applied, or another one of its generation"},
    CodeInfo{Code::kOwner, "owner", 12, "a path is owned by somebody else or is a reparse point"},
    CodeInfo{Code::kSignature, "signature", 12, "the payload's signature is missing, wrong or can't be made"},
    CodeInfo{Code::kManifest, "manifest", 12, "the payload does not agree with its manifest"},
    CodeInfo{Code::kRebootLoop, "reboot-loop", 12, "the same change was needed at several boots: something undoes it"},
    CodeInfo{Code::kTarget, "target", 13, "the machine or image is missing or of the wrong kind"},
    CodeInfo{Code::kIo, "io", 13, "reading or writing a file failed"},
    CodeInfo{Code::kNetwork, "network", 14, "a source or probe could not be reached"},
    CodeInfo{Code::kTls, "tls", 14, "a TLS peer could not be verified"},
    CodeInfo{Code::kLock, "lock", 15, "another run holds the lock"},
    CodeInfo{Code::kUsage, "usage", 10, "the command line is wrong"},
    CodeInfo{Code::kInternal, "internal", 20, "a defect in this program"},
};

constexpr bool InEnumOrder() {
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    if (static_cast<std::size_t>(kCodes[i].code) != i) return false;
  }
  return kCodes.size() == static_cast<std::size_t>(Code::kInternal) + 1;
}
static_assert(InEnumOrder(), "kCodes must list every Code once, in the order of the enum");

}  // namespace

std::span<const CodeInfo> AllCodes() { return kCodes; }
const CodeInfo& InfoOf(Code code) { return kCodes[static_cast<std::size_t>(code)]; }

}  // namespace prov
