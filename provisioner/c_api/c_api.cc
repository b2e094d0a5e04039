// The C interface: copies arguments, calls the library, and keeps texts for the caller. Everything that can throw runs
// inside Guarded().
#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/c_api/provisioner.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/review.h"
#include "provisioner/source/machine_config_source.h"

struct provisioner_config {
  prov::egress::EgressConfig settings;  // subjects as they are printed
  prov::Findings findings;              // messages as they are printed, with their place
};

struct provisioner_decision {
  prov::egress::Decision decision;
};

namespace prov {
namespace {

// Spare bytes for a parser that works in place.
constexpr std::size_t kSpare = 64;

// Copies the part that fits, cut between characters.
template <std::size_t N>
void CopyText(char (&out)[N], std::string_view text) {
  const std::string_view head = Shorten(text, N - 1);
  std::memcpy(out, head.data(), head.size());
  out[head.size()] = '\0';
}

// Does not allocate.
void Report(provisioner_error* out, Code code, std::string_view message, std::string_view where) {
  if (out == nullptr) return;
  *out = {};
  out->exit_code = InfoOf(code).exit;
  CopyText(out->code, InfoOf(code).name);
  CopyText(out->message, message);
  CopyText(out->where, where);
}

// Runs `work`, which returns a Result<std::unique_ptr<T>>. Does not pass on an exception's message, which might quote
// input.
template <class T, class Work>
T* Guarded(provisioner_error* error, Work work) noexcept {
  try {
    Result<std::unique_ptr<T>> result = work();
    if (result) {
      if (error != nullptr) *error = {};
      return std::move(result)->release();
    }
    Report(error, result.error().code, Printable(result.error().message), Printable(result.error().where));
  } catch (const std::bad_alloc&) {
    Report(error, Code::kInternal, "out of memory", "");
  } catch (const std::exception&) {
    Report(error, Code::kInternal, "unexpected failure (a C++ exception); this is a defect, please report it", "");
  }
  return nullptr;
}

std::string_view TextOrEmpty(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }
Secret SecretOrEmpty(const char* text) { return Secret(std::string(TextOrEmpty(text))); }

// A C string can't contain a NUL; cutting the value there would silently change its meaning.
Result<void> CheckNul(std::string_view name, const std::string& value) {
  if (value.find('\0') == std::string::npos) return {};
  return Fail(Code::kEnvNul, fmt::format("{} holds a NUL byte; remove it", name), std::string(name));
}

Result<std::unique_ptr<provisioner_config>> Convert(egress::EgressConfig in) {
  if (in.http_proxy) PROV_TRY(CheckNul("HTTP_PROXY", in.http_proxy->Reveal()));
  if (in.https_proxy) PROV_TRY(CheckNul("HTTPS_PROXY", in.https_proxy->Reveal()));
  if (in.no_proxy) PROV_TRY(CheckNul("NO_PROXY", *in.no_proxy));
  Findings findings = PROV_TRY(egress::Review(in, {}, std::time(nullptr)));
  for (Finding& f : findings)
    f.message = Printable(f.where.empty() ? f.message : fmt::format("{} ({})", f.message, f.where));
  for (pki::Certificate& c : in.certificates) c.subject = Printable(c.subject);
  return std::make_unique<provisioner_config>(std::move(in), std::move(findings));
}

Result<std::unique_ptr<provisioner_config>> Read(const void* bytes, std::size_t size, const char* pool,
                                                 const char* name) {
  if (bytes == nullptr && size > 0) return Fail(Code::kUsage, "no bytes were given; pass the document", "bytes");
  const ignition::Limits limits;
  if (size > limits.input) {
    return Fail(
        Code::kTooLarge,
        fmt::format("the document has {} bytes, {} are the limit; pass the MachineConfig alone", size, limits.input),
        "bytes");
  }
  std::string copy;
  copy.reserve(size + kSpare);
  if (size > 0) copy.assign(static_cast<const char*>(bytes), size);
  ignition::Selection selection;
  if (const std::string_view text = TextOrEmpty(pool); !text.empty()) selection.pool = text;
  selection.name = TextOrEmpty(name);
  auto document = PROV_TRY(ignition::ReadConfig(std::move(copy), "document", selection, limits, nullptr));
  source::Reading reading = PROV_TRY(source::ReadMachineConfig(std::move(document)));
  return Convert(PROV_TRY(source::Finish(std::move(reading))));
}

Result<std::unique_ptr<provisioner_decision>> DecideFor(const Secret& http_proxy, const Secret& https_proxy,
                                                        std::string_view no_proxy, const char* url) {
  auto out = std::make_unique<provisioner_decision>();
  out->decision = PROV_TRY(egress::Decide(http_proxy, https_proxy, no_proxy, TextOrEmpty(url)));
  egress::Decision& decision = out->decision;
  decision.proxy = Printable(decision.proxy);
  decision.note = Printable(decision.note);
  return out;
}

const char* TextOf(const std::optional<Secret>& value) { return value ? value->Reveal().c_str() : nullptr; }

const pki::Certificate* CertificateAt(const provisioner_config* config, std::size_t index) {
  if (config == nullptr || index >= config->settings.certificates.size()) return nullptr;
  return &config->settings.certificates[index];
}

const Finding* FindingAt(const provisioner_config* config, std::size_t index) {
  return config != nullptr && index < config->findings.size() ? &config->findings[index] : nullptr;
}

}  // namespace
}  // namespace prov

extern "C" {

provisioner_config* provisioner_config_read(const void* bytes, size_t size, const char* pool, const char* name,
                                            provisioner_error* error) {
  return prov::Guarded<provisioner_config>(error, [&] { return prov::Read(bytes, size, pool, name); });
}

void provisioner_config_free(provisioner_config* config) { delete config; }

const char* provisioner_config_http_proxy(const provisioner_config* config) {
  return config == nullptr ? nullptr : prov::TextOf(config->settings.http_proxy);
}

const char* provisioner_config_https_proxy(const provisioner_config* config) {
  return config == nullptr ? nullptr : prov::TextOf(config->settings.https_proxy);
}

const char* provisioner_config_no_proxy(const provisioner_config* config) {
  return config != nullptr && config->settings.no_proxy ? config->settings.no_proxy->c_str() : nullptr;
}

size_t provisioner_config_certificate_count(const provisioner_config* config) {
  return config == nullptr ? 0 : config->settings.certificates.size();
}

const unsigned char* provisioner_config_certificate_der(const provisioner_config* config, size_t index, size_t* size) {
  const auto* certificate = prov::CertificateAt(config, index);
  if (size != nullptr) *size = certificate == nullptr ? 0 : certificate->der.size();
  return certificate == nullptr ? nullptr : reinterpret_cast<const unsigned char*>(certificate->der.data());
}

const char* provisioner_config_certificate_sha256(const provisioner_config* config, size_t index) {
  const auto* certificate = prov::CertificateAt(config, index);
  return certificate == nullptr ? nullptr : certificate->sha256.c_str();
}

const char* provisioner_config_certificate_subject(const provisioner_config* config, size_t index) {
  const auto* certificate = prov::CertificateAt(config, index);
  return certificate == nullptr ? nullptr : certificate->subject.c_str();
}

size_t provisioner_config_finding_count(const provisioner_config* config) {
  return config == nullptr ? 0 : config->findings.size();
}

const char* provisioner_config_finding_severity(const provisioner_config* config, size_t index) {
  const auto* finding = prov::FindingAt(config, index);
  // NameOf returns views of literals, so a NUL follows the text.
  return finding == nullptr
             ? nullptr
             : prov::NameOf(finding->severity).data();  // NOLINT(bugprone-suspicious-stringview-data-usage)
}

const char* provisioner_config_finding_code(const provisioner_config* config, size_t index) {
  const auto* finding = prov::FindingAt(config, index);
  // A view of a literal, as above.
  return finding == nullptr ? nullptr : finding->code.data();  // NOLINT(bugprone-suspicious-stringview-data-usage)
}

const char* provisioner_config_finding_text(const provisioner_config* config, size_t index) {
  const auto* finding = prov::FindingAt(config, index);
  return finding == nullptr ? nullptr : finding->message.c_str();
}

provisioner_decision* provisioner_decide(const char* http_proxy, const char* https_proxy, const char* no_proxy,
                                         const char* url, provisioner_error* error) {
  return prov::Guarded<provisioner_decision>(error, [&] {
    return prov::DecideFor(prov::SecretOrEmpty(http_proxy), prov::SecretOrEmpty(https_proxy),
                           prov::TextOrEmpty(no_proxy), url);
  });
}

provisioner_decision* provisioner_config_decide(const provisioner_config* config, const char* url,
                                                provisioner_error* error) {
  return prov::Guarded<provisioner_decision>(error, [&] {
    if (config == nullptr) return prov::DecideFor({}, {}, {}, url);
    const prov::egress::EgressConfig& settings = config->settings;
    return prov::DecideFor(settings.http_proxy.value_or(prov::Secret()), settings.https_proxy.value_or(prov::Secret()),
                           settings.no_proxy.value_or(""), url);
  });
}

void provisioner_decision_free(provisioner_decision* decision) { delete decision; }

provisioner_route provisioner_decision_route(const provisioner_decision* decision) {
  if (decision == nullptr) return PROVISIONER_ROUTE_INVALID;
  switch (decision->decision.route) {
    case prov::egress::Route::kDirect:
      return PROVISIONER_ROUTE_DIRECT;
    case prov::egress::Route::kProxy:
      return PROVISIONER_ROUTE_PROXY;
    case prov::egress::Route::kInvalid:
      break;
  }
  return PROVISIONER_ROUTE_INVALID;
}

const char* provisioner_decision_proxy(const provisioner_decision* decision) {
  const bool none = decision == nullptr || decision->decision.route == prov::egress::Route::kDirect;
  return none ? nullptr : decision->decision.proxy.c_str();
}

const char* provisioner_decision_entry(const provisioner_decision* decision) {
  const bool none = decision == nullptr || !decision->decision.entry;
  return none ? nullptr : decision->decision.entry->c_str();
}

const char* provisioner_decision_note(const provisioner_decision* decision) {
  return decision == nullptr ? nullptr : decision->decision.note.c_str();
}

}  // extern "C"
