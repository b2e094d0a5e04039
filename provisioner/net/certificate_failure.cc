#include "provisioner/net/certificate_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "provisioner/base/text.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/pki/certificate_names.h"

namespace prov::net {
namespace {

using pki::Certificate;

constexpr std::size_t kLongestName = 160;  // of a quoted name, in bytes
constexpr std::size_t kMostNames = 4;      // of a certificate, listed in a message

std::string Quoted(const std::string& name) {
  if (name.size() <= kLongestName) return fmt::format("\"{}\"", name);
  return fmt::format("\"{}...\"", Shorten(name, kLongestName));
}

std::optional<Certificate> Read(const std::string& der) {
  auto certificate = pki::ParseCertificate(der, "certificate");
  if (!certificate) return std::nullopt;
  return *std::move(certificate);
}

// The sentences about one failure.
class Explanation {
 public:
  explicit Explanation(const CertificateFailure& failure) : failure_(failure) {
    if (!failure.peer.chain.empty()) leaf_ = Read(failure.peer.chain.front());
    culprit_ = failure.peer.culprit.empty() ? leaf_ : Read(failure.peer.culprit);
  }

  std::string Text() const {
    if (!leaf_ || !culprit_) return Unread();
    switch (failure_.peer.fault) {
      case CertificateFault::kUnknownIssuer:
        return UnknownIssuer();
      case CertificateFault::kSignature:
        return OtherKey(culprit_->issuer);
      case CertificateFault::kExpired:
        return Expired();
      case CertificateFault::kNotYetValid:
        return NotYetValid();
      case CertificateFault::kNotCa:
        return fmt::format(
            "the certificate of {} was issued by {}, which is not a CA certificate: have it issued by a CA",
            failure_.whose, Quoted(culprit_->subject));
      case CertificateFault::kTooWeak:
        return fmt::format(
            "{} shows the certificate {}, whose key or signature is too weak ({}): reissue it with at least 2048 bits "
            "of RSA and SHA-256",
            failure_.whose, Quoted(culprit_->subject), failure_.detail);
      case CertificateFault::kPurpose:
        if (LeafIsCa()) return CaAsLeaf();
        return fmt::format("{} shows the certificate {}, which is not for servers ({}): have one issued for servers",
                           failure_.whose, Quoted(culprit_->subject), failure_.detail);
      case CertificateFault::kName:
        return OtherName();
      case CertificateFault::kOther:  // names, paths, extensions: another CA would not help
        return fmt::format("{} shows {}, which is not valid ({}): reissue it", Shower(), Quoted(culprit_->subject),
                           failure_.detail);
      case CertificateFault::kNone:
        break;
    }
    return Unread();
  }

 private:
  std::string Trusted() const {
    if (!failure_.own_roots) {
      return fmt::format("the list of CAs that this system trusts{}", failure_.of_machine ? ""
                                                                      : failure_.roots_are_named
                                                                          ? " (no other CA was named for it)"
                                                                          : " (the source brings no certificates)");
    }
    return fmt::format("{} ({} certificate{})", failure_.roots_are_named ? "the CAs that were named for it" : Bundle(),
                       failure_.roots.size(), failure_.roots.size() == 1 ? "" : "s");
  }

  std::string_view Bundle() const {
    return failure_.of_machine ? "the ROOT store of the image" : "the source's trust bundle";
  }

  // What to do about a CA that is not among the trusted ones. This machine's own list decides only what is trusted
  // here.
  std::string Add(std::string_view what) const {
    const bool source_has_none = !failure_.own_roots && !failure_.of_machine && !failure_.roots_are_named;
    return source_has_none
               ? fmt::format("nodes get no CA from this source, so add {} to the cluster's trusted CAs", what)
               : fmt::format("add {} there", what);
  }

  // The remedy for an untrusted CA. When a source was requested, it may be the wrong server.
  std::string Advice(std::string_view for_a_bundle) const {
    return std::string(failure_.roots_are_named ? "is this the right server, and was the right CA named?"
                                                : for_a_bundle) +
           Inspection();
  }

  // Without certificates there is only the library's message.
  std::string Unread() const {
    return fmt::format("{} shows a certificate that can't be verified with {} ({}): {}", failure_.whose, Trusted(),
                       failure_.detail, Advice(Add("the CA that signed it")));
  }

  std::string Inspection() const {
    return failure_.behind_proxy ? "; a proxy that inspects TLS signs with its own CA" : "";
  }

  // mitmproxy does so with "--certs *=FILE" and the file of its CA. A CA certificate that names hosts belongs to a
  // server.
  bool LeafIsCa() const {
    return leaf_->is_ca && (leaf_->self_issued || failure_.peer.chain.size() == 1) &&
           pki::AlternativeNames(leaf_->der).empty();
  }

  std::string CaAsLeaf() const {
    return fmt::format(
        "{} shows the CA certificate {} itself instead of one for {} that this CA signed, and clients refuse that even "
        "where they trust the CA: give the inspecting proxy the CA to sign with (mitmproxy: --set confdir=FOLDER, not "
        "--certs *=FILE)",
        failure_.whose, Quoted(leaf_->subject), failure_.host);
  }

  std::string UnknownIssuer() const {
    if (LeafIsCa()) return CaAsLeaf();
    const bool itself = culprit_->self_issued;
    const std::string& issuer = itself ? culprit_->subject : culprit_->issuer;
    if (HoldsNamesake(issuer, itself ? culprit_->der : "")) return OtherKey(issuer);
    if (itself && failure_.peer.chain.size() == 1) {
      return fmt::format(
          "{} shows {}, which is self-signed and is not in {}: {} if you know that it is right, else have a CA issue "
          "one",
          failure_.whose, Quoted(leaf_->subject), Trusted(), failure_.roots_are_named ? "name it as CA" : Add("it"));
    }
    return fmt::format(
        "{} shows a certificate issued by {}, and this CA is not in {}: {}", failure_.whose, Quoted(issuer), Trusted(),
        Advice(Add("it") +
               (failure_.peer.chain.size() == 1 ? "; if it is an intermediate CA, let the server send it along" : "")));
  }

  // Whether a trusted certificate has the same subject but other bytes.
  bool HoldsNamesake(const std::string& subject, const std::string& der) const {
    return std::ranges::any_of(failure_.roots, [&](const std::string& root) {
      const std::optional<Certificate> known = root == der ? std::nullopt : Read(root);
      return known && known->subject == subject;
    });
  }

  std::string OtherKey(const std::string& ca) const {
    return fmt::format(
        "{} shows a certificate issued by {}; a CA of this name is in {}, but with another key, so the CA was made "
        "anew or is a false one: get its present certificate from its operator and replace the old one",
        failure_.whose, Quoted(ca), Trusted());
  }

  bool LeafIsCulprit() const { return culprit_->der == leaf_->der; }
  std::string Shower() const { return LeafIsCulprit() ? failure_.whose : "the chain of " + failure_.whose; }

  std::string Expired() const {
    if (LeafIsCulprit()) {
      return fmt::format(
          "{} shows a certificate for {} that expired at {}: its operator must renew it, unless this machine's "
          "clock is wrong",
          failure_.whose, Quoted(leaf_->subject), leaf_->not_after);
    }
    const bool ours = std::ranges::find(failure_.roots, culprit_->der) != failure_.roots.end();
    return fmt::format(
        "the certificate of {} was issued under the CA {}, which expired at {}: {}, unless this "
        "machine's clock is wrong",
        failure_.whose, Quoted(culprit_->subject), culprit_->not_after,
        !ours                      ? "its operator must renew the CA"
        : failure_.roots_are_named ? "name its successor"
                                   : fmt::format("replace it in {} by its successor", Bundle()));
  }

  std::string NotYetValid() const {
    return fmt::format(
        "{} shows {}, which is valid from {} on: this machine's clock is wrong, or it was made too early", Shower(),
        Quoted(culprit_->subject), culprit_->not_before);
  }

  std::string OtherName() const {
    if (LeafIsCa()) return CaAsLeaf();
    const std::vector<std::string> names = pki::AlternativeNames(leaf_->der);
    if (names.empty()) {
      return fmt::format(
          "{} shows the certificate {}, which names no host (no subjectAltName); Go programs such as kubelet and "
          "containerd refuse it, too: have one issued for {}",
          failure_.whose, Quoted(leaf_->subject), failure_.host);
    }
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
      list += (list.empty() ? "" : ", ") + Quoted(names[i]);
    }
    return fmt::format(
        "{} shows a certificate that is for {}{} and not for {}: use one of these names, or have it "
        "issued for this one",
        failure_.whose, list, names.size() > kMostNames ? " and others" : "", failure_.host);
  }

  const CertificateFailure& failure_;
  std::optional<Certificate> leaf_;
  std::optional<Certificate> culprit_;
};

}  // namespace

std::string ExplainCertificate(const CertificateFailure& failure) { return Explanation(failure).Text(); }

}  // namespace prov::net
