#include "provisioner/source/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "provisioner/base/byte_reader.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/net/http_status.h"
#include "provisioner/source/document_source.h"
#include "provisioner/source/gathered_files.h"
#include "provisioner/source/gathered_source.h"
#include "provisioner/source/http_fetcher.h"
#include "provisioner/source/kube_source.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/source/mcs_source.h"
#include "provisioner/source/roots.h"
#include "provisioner/source/web_source.h"

namespace prov::source {
namespace {

constexpr std::size_t kHeadBytes = 64U << 10U;        // enough to know an archive by
constexpr std::uint64_t kMostHeldBytes = 16U << 20U;  // of an archive in memory

// The document of a source before it is parsed.
struct SourceDocument {
  std::string where;
  std::string bytes;
  std::string etag;
  bool unchanged = false;  // the server says that it is unchanged; `bytes` is empty
  Trust trust;             // for the resources that it refers to
};

Result<SourceDocument> OpenFile(const SourceRequest& request) {
  SourceDocument out;
  out.where = request.source == "-" ? "standard input" : request.source;
  out.trust = {PROV_TRY(RootsOf(request)), false};
  out.bytes = request.document ? *request.document : PROV_TRY(request.ReadSelf());
  return out;
}

using Check = Result<void> (*)(const net::FetchAnswer& answer, const std::string& where);

Result<SourceDocument> OpenRemote(const SourceRequest& request, RemoteRequest remote, Check check,
                                  const std::string& etag, const SourcePorts& ports, SourceTime& time) {
  SourceDocument out;
  out.where = egress::RedactUrl(remote.url);
  out.trust = {remote.roots, !request.IsFollowed()};
  remote.proxy_url = request.proxy_url;
  if (!etag.empty()) remote.headers.emplace_back("If-None-Match", etag);
  net::FetchAnswer answer = PROV_TRY(Ask(remote, ports, time));
  out.unchanged = answer.status == net::http_status::kNotModified;
  if (out.unchanged) {
    out.etag = etag;
    return out;
  }
  if (check != nullptr) PROV_TRY(check(answer, out.where));
  out.etag = answer.Header("etag");
  out.bytes = std::move(answer.body);
  return out;
}

Result<SourceDocument> OpenWeb(const SourceRequest& request, const std::string& etag, const SourcePorts& ports,
                               SourceTime& time) {
  const WebSource web = PROV_TRY(ParseWebSource(request.source));
  if (request.ca_file.empty() && web.hash.empty()) PROV_TRY(MayUseSystemRoots(request));
  RemoteRequest remote;
  remote.url = web.url;
  remote.roots = PROV_TRY(RootsOf(request));
  remote.has_digest = !web.hash.empty();
  SourceDocument out = PROV_TRY(OpenRemote(request, std::move(remote), nullptr, etag, ports, time));
  if (!out.unchanged) PROV_TRY(CheckHash(web, out.bytes));
  return out;
}

// Opens the source. With the entity tag of a known document, the server may answer that it is unchanged.
Result<SourceDocument> Open(const SourceRequest& request, const std::string& etag, const SourcePorts& ports,
                            SourceTime& time) {
  if (!IsRemote(request.source)) return OpenFile(request);
  const std::string scheme = AsciiLower(request.source.substr(0, request.source.find("://")));
  if (scheme == "https" || scheme == "http") return OpenWeb(request, etag, ports, time);
  if (scheme == "mcs") {
    RemoteRequest remote = PROV_TRY(McsRequest(request.source, request.selection.pool, PROV_TRY(RootsOf(request))));
    return OpenRemote(request, std::move(remote), CheckMcsAnswer, etag, ports, time);
  }
  return Fail(Code::kScheme,
              "is not a supported source; use https://, http:// with #sha256=, mcs://, kube:// or a file",
              scheme + "://");
}

// The URI that a source without "://" looks like; "": none.
std::string_view LikelyUri(std::string_view source) {
  const std::size_t colon = source.find(':');
  const std::string scheme = AsciiLower(source.substr(0, colon));
  if (scheme == "kube") return "kube://";
  if (scheme == "mcs") return "mcs://HOST";
  if (scheme == "https" || scheme == "http") return "https://HOST";
  const bool port = colon != std::string_view::npos && colon + 1 < source.size() && IsDigit(source[colon + 1]);
  return port ? "mcs://HOST or https://HOST" : "";
}

// What collectors write is of one moment, so a node would keep old settings.
std::unexpected<Error> RefuseToFollow(const std::string& where) {
  return Fail(
      Code::kKind,
      "is a collection of a cluster's objects of one moment, which a node can't follow; give kube://, mcs:// or "
      "a payload that was baked from it",
      where);
}

std::string KeyOf(const SourceRequest& request) {
  return fmt::format("{}\n{}\n{}", request.source, request.selection.pool, request.selection.name);
}

}  // namespace

bool IsCollection(const SourceRequest& request) {
  if (IsRemote(request.source) || request.source == "-" || request.document) return false;
  if (IsFolder(request.source)) return IsGatheredFolder(request.source);
  if (request.IsFollowed()) return false;  // who could have written a file is checked before anything is asked of it
  std::error_code error;
  const std::filesystem::path native(std::u8string(request.source.begin(), request.source.end()));
  if (!std::filesystem::is_regular_file(native, error)) return false;  // a pipe is read once
  const auto size = std::filesystem::file_size(native, error);
  if (error || size <= kMostHeldBytes) return false;
  auto file = OpenBytes(request.source);
  std::string head(kHeadBytes, '\0');
  const auto have = file ? (*file)(head.data(), head.size()) : Result<std::size_t>(0);
  return have && IsTarArchive(std::string_view(head).substr(0, *have));
}

Result<std::string> SourceRequest::ReadSelf() const {
  auto out = ReadLocal(source, JsonLimits().input);
  const std::string_view uri = LikelyUri(source);
  if (!out && out.error().code == Code::kNotFound && !uri.empty()) {
    out.error().message += fmt::format("; if no file is meant, write {}", uri);
  }
  return out;
}

Result<void> CheckProxyUrl(const Secret& url, const std::string& where) {
  Findings findings;
  auto proxy =
      egress::ParseProxyUrl(url, egress::ProxyVariable::kHttps, where, findings, egress::ProxyReaders::kThisProgram);
  if (proxy) return {};
  // The parser names HTTPS_PROXY, but this URL is for this program's own requests.
  Error error = std::move(proxy).error();
  const std::string_view variable = egress::NameOf(egress::ProxyVariable::kHttps);
  if (error.message.starts_with(variable)) error.message.replace(0, variable.size(), "the URL of the proxy");
  return std::unexpected(std::move(error));
}

Result<egress::EgressConfig> Read(const SourceRequest& request, const SourcePorts& ports) {
  if (IsKubeUri(request.source)) return ReadKube(request, ports);
  if (IsCollection(request)) {
    if (request.IsFollowed()) return RefuseToFollow(request.source);
    if (IsFolder(request.source)) return ReadGatheredFolder(request.source, request.selection, nullptr);
    return ReadGatheredArchive(PROV_TRY(OpenBytes(request.source)), request.source, request.selection, nullptr);
  }
  SourceCache* known = ports.cache != nullptr && ports.cache->key == KeyOf(request) ? ports.cache : nullptr;
  SourceTime time = SourceTime::Of(request);
  SourceDocument document = PROV_TRY(Open(request, known != nullptr ? known->etag : "", ports, time));
  HttpFetcher fetcher(request, document.trust, ports, time);
  const auto digest_of = [&ports](const std::string& bytes) {  // without a cache, nothing compares the digest
    return ports.cache != nullptr ? Sha256(bytes) : std::string();
  };
  std::string digest = document.unchanged ? known->digest : digest_of(document.bytes);
  if (known != nullptr && known->digest == digest) {
    if (PROV_TRY(fetcher.StillSame(known->references))) {
      known->etag = document.etag;
      return known->config;
    }
    if (document.unchanged) {
      document = PROV_TRY(Open(request, "", ports, time));
      digest = digest_of(document.bytes);
    }
  }
  if (request.IsFollowed() && IsTarArchive(document.bytes)) return RefuseToFollow(document.where);
  egress::EgressConfig config =
      PROV_TRY(ReadDocument(std::move(document.bytes), document.where, request.selection, &fetcher));
  if (ports.cache != nullptr) {
    *ports.cache = {KeyOf(request), document.etag, std::move(digest), fetcher.fetched(), config};
  }
  return config;
}

void SourceTime::Spend(std::int64_t seconds) {
  constexpr std::int64_t kSlack = 30;
  if (seconds < 0 || seconds > left_ + kSlack) return;
  left_ -= static_cast<int>(std::min<std::int64_t>(seconds, left_));
}

std::string SourceTime::Reason() const {
  return fmt::format("a source, with all that it refers to, may take {} seconds (--source-timeout)", whole_);
}

}  // namespace prov::source
