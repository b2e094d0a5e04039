// What a person sees and searches for that is no code of ours: words of other programs' messages, and the reasons that
// `status` gives. `explain-code` leads from them to codes and to a page of the documentation.
#pragma once

#include <string_view>

namespace prov::cli {

struct Symptom {
  // In lower case, separated by '|'. Each is found as whole words of what was asked; the first names the symptom.
  // A reason of `status` must be all that was asked: messages have such words, too.
  std::string_view words;
  std::string_view meaning;
  std::string_view remedy;
  std::string_view page;   // of the documentation, with its section: as in the repository and in packages
  std::string_view codes;  // those that have more about it, separated by blanks
  bool is_reason = false;
};

// The more specific ones come first, as one message may have the words of several.
inline constexpr Symptom kSymptoms[] = {
    {"407|proxy authentication required",
     "The proxy wants a user and a password, and the program sent none or wrong ones. WinHTTP's settings can't hold "
     "them.",
     "Try the source's own credentials with check --probe. If they are right, see which variables the program has.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", "winhttp-credentials credentials-none probe-digest"},
    {"429|toomanyrequests|too many requests",
     "The registry answers and limits how many images one client may pull. All nodes behind one proxy are one client "
     "to it. Egress works.",
     "Sign in to the registry with a pull secret, or pull from a mirror.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", ""},
    {"pull access denied|unauthorized|401",
     "The server answers and refuses who asks: the pull secret is missing or wrong, or there is no such image. Egress "
     "works.",
     "Compare the image's name and the pull secret with the registry.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", ""},
    {"certificate has expired|not yet valid",
     "The certificate that the server, or a proxy that inspects TLS, shows is out of its time by the node's clock.",
     "Compare the node's clock with the time first. If it is right, the server's owner renews the certificate.",
     "provisioner/docs/troubleshooting.md#a-servers-certificate-is-not-trusted",
     "clock-wrong cert-expired cert-not-yet-valid"},
    {"x509|certificate signed by unknown authority|unknown certificate authority|ssl certificate problem|certificate "
     "verify failed|12175|0x80072f8f",
     "The certificate that the server, or a proxy that inspects TLS, shows was refused. Most often the node does not "
     "trust its CA. If the message says valid for another name, the answer came from another server.",
     "check --probe says which it is and names the issuer. A missing CA goes to the additional CAs of the cluster.",
     "provisioner/docs/troubleshooting.md#a-servers-certificate-is-not-trusted", "tls untrusted"},
    {"eof|connection reset|forcibly closed",
     "The connection ended in the middle: the rules of the proxy or of a firewall behind it stop this destination, or "
     "the proxy's URL has the wrong scheme or port.",
     "Ask for the destination with check --probe, and see the proxy's log.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", "network"},
    {"403|502|503|504|forbidden|bad gateway|gateway timeout",
     "The proxy answers. With 403 its rules or the server refuse this request; with the others it does not reach the "
     "server.",
     "check --probe says which of them refuses. Have the destination allowed there.", "provisioner/docs/way-out.md",
     "network"},
    {"handshake failure|protocol version not supported|12157|0x80072f7d",
     "The client and the server, or a proxy that inspects TLS, have no TLS version or cipher in common, or the server "
     "wants a certificate of the client.",
     "Ask for the destination with check --probe. If the proxy inspects TLS, see which versions and ciphers it takes.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", "tls"},
    {"first record does not look like a tls handshake|wrong version number|server gave http response to https client",
     "A TLS request met a server without TLS: usually a proxy's URL begins with https:// where the proxy speaks http, "
     "or a registry has no TLS.",
     "If the address is the proxy's, correct the scheme of its URL at the source.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", "tls"},
    {"connection refused|actively refused|12029", "A machine answered that nothing listens at this address and port.",
     "If it is the proxy's, compare host and port with the source. If not, the program goes direct: see whether the "
     "service has the proxy in its environment.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", "network"},
    {"no such host|could not resolve host|12007|0x80072ee7",
     "The name has no address here. A program that takes the proxy resolves the proxy's name only.",
     "If it is the proxy's name, correct it or the DNS of the node. If not, the program goes direct: see whether the "
     "service has the proxy in its environment.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", "network"},
    {"no matching manifest", "The image has no variant for this version of Windows. Egress works.",
     "Take an image that was built for the node's Windows.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", ""},
    {"timeout|timed out|context deadline exceeded|12002",
     "Nothing answered at the address in the message. If that is not the proxy's, the program goes direct.",
     "See whether the service has the proxy in its environment, and whether NO_PROXY has the destination.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", "network https-direct"},
    {"errimagepull|imagepullbackoff|failed to pull image|failed to pull and unpack image",
     "containerd could not load an image. The events of the pod have the reason.",
     "Take the steps of the page in their order; explain-code takes the reason, too.",
     "provisioner/docs/troubleshooting.md#images-are-not-pulled", "service-runs-on"},
    {"exit code 4|4",
     "The command worked and found differences or a problem, or a trial was not confirmed. It is no error.",
     "Read what the command printed.", "provisioner/docs/output.md#exit-codes", "", true},
    {"drift", "Somebody else changed or removed an item of ours.",
     "The next round restores it. If it comes back, find out who changes it.",
     "provisioner/docs/troubleshooting.md#by-what-status-says", "", true},
    {"failure", "The last rounds failed, and the settings before them stay.",
     "status has the code and the message of the failure.", "provisioner/docs/troubleshooting.md#by-what-status-says",
     "", true},
    {"hold", "Somebody ran rollback, or nobody confirmed a trial.",
     "The node follows again when the source changes, or after apply.",
     "provisioner/docs/troubleshooting.md#a-node-changes-nothing-any-more", "held", true},
    {"open", "A run was cut short.", "The next command that writes, or the next round, finishes it.",
     "provisioner/docs/troubleshooting.md#by-what-status-says", "open-transaction", true},
    {"damage", "The record of what is ours was damaged or lost.", "Run apply with the settings that are in place.",
     "provisioner/docs/troubleshooting.md#the-state-is-damaged", "state-damaged state-lost", true},
    {"service", "The boot service is gone or does not run.", "service install restores it.",
     "provisioner/docs/troubleshooting.md#by-what-status-says", "", true},
    {"files", "A file of the installation is missing or was changed.", "Type the command that doctor gives.",
     "provisioner/docs/troubleshooting.md#by-what-status-says", "file-lost", true},
    {"stale", "A service runs with an earlier environment.", "Restart it with the command that status gives.",
     "provisioner/docs/troubleshooting.md#by-what-status-says", "service-stale", true},
    {"expiry", "A certificate of ours expires within 30 days.", "Rotate the CA.",
     "provisioner/docs/upkeep.md#rotate-a-ca", "cert-expires-soon cert-expired", true},
};

}  // namespace prov::cli
