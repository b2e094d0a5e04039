#include "provisioner/base/error.h"

#include <array>

namespace prov {
namespace {

constexpr std::array kCodes = {
    CodeInfo{Code::kJson, "json", 11, "The JSON is malformed, nested deeper than 1,000 or not UTF-8.",
             "Correct the document at the place that the message names."},
    CodeInfo{Code::kYaml, "yaml", 11, "The YAML is malformed or uses anchors, aliases or tags.",
             "Correct the document at the place that the message names, and write out what anchors stand for."},
    CodeInfo{Code::kType, "type", 11, "A member has the wrong JSON type.",
             "Give the member the type that the message names."},
    CodeInfo{Code::kKind, "kind", 11, "The document or file is of a kind that this command does not take.",
             "Give a document of one of the kinds that the message names."},
    CodeInfo{Code::kVersion, "version", 11, "The Ignition version is missing, malformed or not supported.",
             "Use a config of Ignition 2.0 to 2.2 or 3.x."},
    CodeInfo{Code::kInvalidConfig, "invalid-config", 11, "The config breaks a rule of its specification.",
             "Correct the field that the message names."},
    CodeInfo{Code::kNoConfig, "no-config", 11, "The MachineConfig has no Ignition config.",
             "Use the rendered MachineConfig of the pool."},
    CodeInfo{Code::kNotFound, "not-found", 11,
             "What was named, such as a source, an object, a file or an image, does not exist.", "Check the name."},
    CodeInfo{Code::kDataUrl, "data-url", 11, "A data URL is malformed.",
             "Correct the URL at the place that the message names."},
    CodeInfo{Code::kScheme, "scheme", 11, "A source URL has a scheme that Ignition does not know.",
             "Use a scheme that Ignition knows, such as data or https."},
    CodeInfo{Code::kCompression, "compression", 11, "The compression method is not one of Ignition's.",
             "Use gzip, or leave the contents uncompressed."},
    CodeInfo{Code::kDecompress, "decompress", 11, "Compressed contents are damaged or not compressed at all.",
             "Compress the contents again, or correct the field compression."},
    CodeInfo{Code::kTooLarge, "too-large", 11, "The input or a decompressed file exceeds the limit.",
             "Make the input smaller, or check that it is the file that is meant."},
    CodeInfo{Code::kHashSpec, "hash-spec", 11, "The field verification.hash is malformed or names an unknown function.",
             "Write the hash as sha512-HEX or sha256-HEX."},
    CodeInfo{Code::kHashMismatch, "hash-mismatch", 11, "The contents do not have the hash that is stated for them.",
             "Check who changed the contents, and correct the contents or the hash."},
    CodeInfo{Code::kRemoteSource, "remote-source", 11, "The contents of a wanted file are at a remote URL.",
             "Use the rendered config of the cluster, in which the contents are included."},
    CodeInfo{Code::kMergeRemote, "merge-remote", 11, "The config merges a remote config or is replaced by one.",
             "Use the rendered config of the cluster, or a source that is allowed to fetch it."},
    CodeInfo{Code::kDuplicatePath, "duplicate-path", 11, "Two entries of the config have the same path.",
             "Remove one of the entries."},
    CodeInfo{Code::kLink, "link", 11, "A wanted path is a link or lies below one.",
             "Write the file itself at the wanted path."},
    CodeInfo{Code::kDirectory, "directory", 11, "A wanted path is a directory.", "Write a file at the wanted path."},
    CodeInfo{Code::kEnvNul, "env-nul", 11, "An environment file holds a NUL byte.", "Write the file again as text."},
    CodeInfo{Code::kEnvUtf8, "env-utf8", 11, "An environment file holds invalid UTF-8.", "Write the file in UTF-8."},
    CodeInfo{Code::kProxyUrl, "proxy-url", 11,
             "The URL of a proxy is malformed, so clients would go direct or elsewhere.",
             "Write the URL as http://HOST:PORT, as the message says."},
    CodeInfo{Code::kNoProxy, "no-proxy", 11, "NO_PROXY holds a control character.", "Remove the character."},
    CodeInfo{Code::kCert, "cert", 11, "A certificate or a bundle is damaged.",
             "Replace the certificate at the place that the message names."},
    CodeInfo{Code::kXml, "xml", 11, "An answer file is malformed.",
             "Correct the file at the place that the message names."},
    CodeInfo{Code::kRow, "row", 11, "A row of a list is invalid.", "Correct the row that the message names."},
    CodeInfo{Code::kPolicy, "policy", 11, "The Host Networking Service (HNS) would ignore a part of the policy.",
             "Correct the member or the option that the message names."},
    CodeInfo{Code::kDestination, "destination", 11,
             "A line of an egress router's destinations, or one of its addresses, is invalid.",
             "Correct the line that the message names."},
    CodeInfo{Code::kImageReference, "image-reference", 11, "A reference to an image is invalid.",
             "Write it as for crictl pull: REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST."},
    CodeInfo{Code::kRegistries, "registries", 11,
             "Settings of image registries (registries.conf, hosts.toml, a mirror set) are invalid.",
             "Correct what the message names; docs/registries.md lists the files that are read."},
    CodeInfo{Code::kEmpty, "empty", 12,
             "The source would set nothing, and provisioner has set nothing on the target that it would remove.",
             "Check that it is the right source. Use --allow-empty if an empty source is intended."},
    CodeInfo{Code::kShrink, "shrink", 12, "A bundle lost over half of its certificates, of eight or more.",
             "Check the source. Use --allow-shrink if the loss is meant."},
    CodeInfo{Code::kDirtyHive, "dirty-hive", 12, "A registry hive was not closed cleanly.",
             "Start and shut down that Windows, or load and unload the hive on another one."},
    CodeInfo{Code::kHive, "hive", 12, "A registry hive is damaged or of an unknown version.",
             "Restore the image from a backup, or repair that Windows."},
    CodeInfo{Code::kFailOpen, "fail-open", 12, "Applying this would let traffic bypass the proxy silently.",
             "Correct the setting that the message names."},
    CodeInfo{Code::kSizeLimit, "size-limit", 12, "A value or a payload exceeds what its consumer takes.",
             "Shorten what the message names."},
    CodeInfo{Code::kReservedName, "reserved-name", 12, "The name belongs to another component.", "Use another name."},
    CodeInfo{Code::kDowngrade, "downgrade", 12,
             "The payload is older than one that was applied, or it is another one of the same generation; or the "
             "program is older than the installed one.",
             "Bake the payload with a higher --generation, run the installed program, or use --allow-downgrade."},
    CodeInfo{Code::kOwner, "owner", 12,
             "A path belongs to another account, others can change it, or it is a reparse point.",
             "Make administrators the owner of the path and close it to others, or use another path."},
    CodeInfo{Code::kSignature, "signature", 12,
             "The signature of the payload is missing or wrong, or it can't be made.",
             "Sign the payload with the key of the pinned signer."},
    CodeInfo{Code::kCluster, "cluster", 12, "The payload is for another cluster than the pinned one, or names none.",
             "Take the payload that was baked with --for and the name of the pinned cluster."},
    CodeInfo{Code::kManifest, "manifest", 12, "The payload does not match its manifest.", "Bake the payload again."},
    CodeInfo{Code::kRebootLoop, "reboot-loop", 12,
             "The same change was needed at several boots, so something on the node undoes it.",
             "Find out what undoes the change, such as a group policy, and run provisioner apply afterwards."},
    CodeInfo{Code::kTarget, "target", 13, "The machine or image is missing or of the wrong kind.",
             "Pass the folder that contains the Windows folder, or run the command on Windows as an administrator."},
    CodeInfo{Code::kHns, "hns", 13,
             "The Host Networking Service is not installed, does not know the endpoint, refused a change or did not do "
             "it.",
             "Follow the message. Install the feature Containers where HNS is missing."},
    CodeInfo{Code::kUnsupported, "unsupported", 13,
             "This version of Windows or of Kubernetes does not have what the command needs.",
             "Use a newer version, or what the message names."},
    CodeInfo{Code::kIo, "io", 13, "Reading or writing a file failed.",
             "Check the path, its permissions and the free space of its volume."},
    CodeInfo{Code::kInterrupted, "interrupted", 13,
             "The run was asked to stop before it was complete. On Linux it then ends by the signal, which a shell "
             "shows as 130 or 143.",
             "Run the command again. Incomplete output was removed already."},
    CodeInfo{Code::kNetwork, "network", 14, "A source or a probe could not be reached.",
             "Check the address, the proxy and the firewall, and try again."},
    CodeInfo{Code::kTls, "tls", 14, "A TLS peer could not be verified.",
             "Add the CA to the trusted ones, as the message says (for a source that is read over https: --ca), or "
             "correct the certificate of the server."},
    CodeInfo{Code::kLock, "lock", 15, "Another run holds the lock.",
             "Wait until the other run has ended, and try again."},
    CodeInfo{Code::kUsage, "usage", 10, "The command line is wrong.",
             "Correct it as the message says. The option --help of each command shows an example."},
    CodeInfo{Code::kInternal, "internal", 20, "The program has a defect.",
             "Report the message and the output of provisioner --version."},
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
