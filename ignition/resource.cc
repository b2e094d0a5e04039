#include "ignition/resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ignition/data_url.h"
#include "ignition/gzip.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

constexpr std::array<std::string_view, 6> kRemoteSchemes = {"http", "https", "tftp", "s3", "gs", "arn"};
constexpr std::size_t kMostShown = 200;  // characters of a URL in a message

bool IsSchemeChar(char c) { return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.'; }

// The scheme in lower case; "" if there is none.
std::string SchemeOf(std::string_view url) {
  const std::size_t colon = url.find(':');
  if (colon == std::string_view::npos || colon == 0 || !IsLetter(url.front())) return "";
  const std::string_view scheme = url.substr(0, colon);
  return std::all_of(scheme.begin(), scheme.end(), IsSchemeChar) ? AsciiLower(scheme) : "";
}

// In a header, a line break would begin another one.
bool HasControl(std::string_view text) { return std::ranges::any_of(text, IsControl); }

std::string At(std::string_view where, std::string_view member) { return fmt::format("{}.{}", where, member); }

Result<std::string> ReadRemote(std::string_view url, const Resource& resource, const ResourceContext& context,
                               std::string where) {
  for (const auto& [name, value] : resource.http_headers) {
    if (HasControl(name) || HasControl(value))
      return Fail(Code::kInvalidConfig, "an HTTP header holds a control character", std::move(where));
  }
  if (context.fetcher == nullptr) {
    if (context.use == ResourceUse::kConfig) {
      return Fail(
          Code::kMergeRemote,
          fmt::format(
              "the config refers to another one at {}, which is not read from here; give the rendered config itself "
              "(oc get machineconfig rendered-worker-… -o json)",
              UrlForMessage(url)),
          std::move(where));
    }
    return Fail(Code::kRemoteSource,
                fmt::format("the contents are at {}, which is not read from here; give a config that holds them",
                            UrlForMessage(url)),
                std::move(where));
  }
  FetchOrder order;
  order.url = std::string(url);
  order.headers = resource.http_headers;
  order.use = context.use;
  order.spec_major = context.version.major;
  order.has_hash = resource.hash.has_value();
  order.limit = context.limit;
  if (context.settings) order.settings = PROV_TRY(context.settings());
  auto body = context.fetcher->Fetch(order);
  if (!body) {
    Error error = std::move(body).error();
    if (error.where.empty()) error.where = std::move(where);
    return std::unexpected(std::move(error));
  }
  if (body->size() > context.limit) {
    return Fail(Code::kTooLarge, fmt::format("{} sent more than {} bytes", UrlForMessage(url), context.limit),
                std::move(where));
  }
  return *std::move(body);
}

Result<std::string> ReadSource(std::string_view url, const Resource& resource, const ResourceContext& context,
                               std::string_view where) {
  std::string source_where = At(where, "source");
  const std::string scheme = SchemeOf(url);
  if (scheme == "data") return DecodeDataUrl(url, context.limit, source_where);
  if (std::find(kRemoteSchemes.begin(), kRemoteSchemes.end(), scheme) != kRemoteSchemes.end()) {
    return ReadRemote(url, resource, context, std::move(source_where));
  }
  const std::string what = scheme.empty()
                               ? "the source is not a URL (it has no scheme)"
                               : fmt::format("the source has the unknown URL scheme \"{}\"", Shorten(scheme, 40));
  return Fail(Code::kScheme, what + "; known are data, http, https, tftp, s3, gs and arn", std::move(source_where));
}

Result<std::string> Decompress(std::string_view bytes, const ResourceContext& context, std::string_view where) {
  const std::string source_where = At(where, "source");
  if (!LooksLikeGzip(bytes)) {
    return Fail(Code::kDecompress,
                "compression says gzip, but the contents are not gzip; if this config was rendered by OpenShift before "
                "4.20 it is the known "
                "defect of its Machine Config Operator that keeps a stale \"compression\" when configs are merged "
                "(fixed in 4.20): "
                "give every MachineConfig that writes this file its own \"compression\": \"\", or upgrade",
                source_where);
  }
  return Gunzip(bytes, context.limit, source_where);
}

struct HashSpec {
  bool sha512 = true;
  std::string_view hex;
};

Result<HashSpec> ParseHash(std::string_view text, const ResourceContext& context, const std::string& where) {
  const auto refuse = [&](std::string_view why) {
    return Fail(Code::kHashSpec, fmt::format("malformed verification hash: {}", why), where);
  };
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return refuse("expected sha512-<128 hex digits> or sha256-<64 hex digits>");
  const std::string_view function = text.substr(0, dash);
  const HashSpec spec{function == "sha512", text.substr(dash + 1)};
  if (function != "sha512" && function != "sha256")
    return refuse(fmt::format("unknown function \"{}\"", Shorten(function, 40)));
  if (!spec.sha512 && !context.version.AllowsSha256())
    return refuse("sha256 needs spec 3.1.0 or newer; before, only sha512 is known");
  const std::size_t digits = spec.sha512 ? 128 : 64;
  if (spec.hex.size() != digits)
    return refuse(fmt::format("{} has {} hex digits, not {}", function, digits, spec.hex.size()));
  if (!FromHex(spec.hex)) return refuse("it holds characters that are not hex digits");
  return spec;
}

Result<void> Verify(std::string_view bytes, std::string_view expected, const ResourceContext& context,
                    std::string_view where) {
  std::string hash_where = At(where, "verification.hash");
  const HashSpec spec = PROV_TRY(ParseHash(expected, context, hash_where));
  const std::string actual = ToHex(spec.sha512 ? Sha512(bytes) : Sha256(bytes));
  if (actual == spec.hex) return {};
  const bool differs_in_case = actual == AsciiLower(spec.hex);
  if (differs_in_case && context.use == ResourceUse::kFile) return {};
  const std::string_view function = spec.sha512 ? "sha512" : "sha256";
  const std::string_view note = differs_in_case ? " (Ignition refuses upper-case digits here)" : "";
  return Fail(
      Code::kHashMismatch,
      fmt::format(
          "the contents have the hash {0}-{1}, the config expects {0}-{2}{3}; find out who changed them, and correct "
          "the contents or the hash",
          function, actual, spec.hex, note),
      std::move(hash_where));
}

}  // namespace

Result<std::string> ReadResource(const Resource& resource, const ResourceContext& context, std::string_view where) {
  const std::string_view compression = resource.compression.value_or("");
  if (!compression.empty() && compression != "gzip") {
    return Fail(Code::kCompression,
                fmt::format("unknown compression \"{}\"; known are \"gzip\" and \"\"", Shorten(compression, 40)),
                At(where, "compression"));
  }
  const std::string_view source = resource.source.value_or("");
  std::string bytes;
  if (!source.empty()) {
    bytes = PROV_TRY(ReadSource(source, resource, context, where));
    if (compression == "gzip") bytes = PROV_TRY(Decompress(bytes, context, where));
  }
  // Verify an empty file, too: an empty source with another hash means that the source was lost.
  if (resource.hash) PROV_TRY(Verify(bytes, *resource.hash, context, where));
  return bytes;
}

std::string UrlForMessage(std::string_view url) {
  const std::string scheme = SchemeOf(url);
  if (scheme.empty()) return "a relative address";
  std::string_view rest = url.substr(scheme.size() + 1);
  const bool slashes = rest.starts_with("//");
  if (slashes) rest.remove_prefix(2);
  const std::size_t authority_end = std::min(rest.find_first_of("/?#"), rest.size());
  // An '@' after the authority may end an unescaped password, so show no part of it.
  if (rest.find('@', authority_end) != std::string_view::npos)
    return fmt::format("{}:// (not shown: it may hold a password)", scheme);
  if (const std::size_t at = rest.substr(0, authority_end).rfind('@'); at != std::string_view::npos)
    rest.remove_prefix(at + 1);
  rest = rest.substr(0, rest.find_first_of("?#"));
  const bool cut = rest.size() > kMostShown;
  return fmt::format("{}:{}{}{}", scheme, slashes ? "//" : "", Shorten(rest, kMostShown), cut ? "…" : "");
}

}  // namespace prov::ignition
