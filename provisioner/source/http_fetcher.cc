#include "provisioner/source/http_fetcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "ignition/resource.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/decision.h"
#include "provisioner/net/http_status.h"
#include "provisioner/source/mcs_source.h"
#include "provisioner/source/roots.h"

namespace prov::source {
namespace {

using ignition::FetchOrder;

// Orders with the same key get the same answer. The settings follow from where the config comes from, so they are not
// part of it.
std::string OrderKey(const FetchOrder& order) {
  std::string out = order.url;
  for (const auto& [name, value] : order.headers) out += fmt::format("\n{}: {}", name, value);
  return out;
}

// An error of the config that refers to a resource, rather than of the resource. The caller fills in `where`.
std::unexpected<Error> RefuseOrder(const FetchOrder& order, std::string_view why) {
  const bool config = order.use == ignition::ResourceUse::kConfig;
  return Fail(config ? Code::kMergeRemote : Code::kRemoteSource,
              fmt::format("{} at {}, {}", config ? "the config refers to another one" : "the contents are",
                          ignition::UrlForMessage(order.url), why));
}

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

Result<std::optional<Secret>> ProxyFor(const FetchOrder& order) {
  const Secret http = order.settings.http_proxy.value_or(Secret());
  const Secret https = order.settings.https_proxy.value_or(Secret());
  if (http.empty() && https.empty()) return std::nullopt;
  const auto decision = PROV_TRY(egress::Decide(http, https, fmt::format("{}", fmt::join(order.settings.no_proxy, ",")),
                                                order.url, egress::ProxyReaders::kThisProgram));
  if (decision.route == egress::Route::kInvalid) {
    return Fail(Code::kProxyUrl, fmt::format("ignition.proxy can't be used: {}", decision.note), "ignition.proxy");
  }
  if (decision.route == egress::Route::kDirect) return std::nullopt;
  return AsciiLower(order.url.substr(0, 6)) == "https:" ? https : http;
}

Result<RemoteRequest> Prepare(const FetchOrder& order) {
  RemoteRequest out;
  out.url = order.url.substr(0, order.url.find('#'));
  out.most_bytes = order.limit;
  out.has_digest = order.has_hash;
  for (const auto& [name, value] : order.headers) {
    if (!IsHeaderName(name)) return Fail(Code::kInvalidConfig, "httpHeaders has a name that no header can have");
    out.own_headers.emplace_back(name, value);
  }
  const bool accepts =
      std::ranges::any_of(order.headers, [](const auto& h) { return AsciiLower(h.first) == "accept"; });
  if (order.use == ignition::ResourceUse::kConfig && !accepts)
    out.headers.emplace_back("Accept", AcceptOf(order.spec_major));
  return out;
}

}  // namespace

Result<net::FetchAnswer> HttpFetcher::Ask(const FetchOrder& order, const std::string& etag) {
  const std::string scheme = AsciiLower(order.url.substr(0, order.url.find(':')));
  const bool plain = scheme == "http";
  if (!plain && scheme != "https") {
    return RefuseOrder(order,
                       "and only https:// is read from here (http:// with a "
                       "hash); give a config that holds it");
  }
  if (plain && !order.has_hash) {
    return RefuseOrder(order,
                       "where anybody on the way can change it; give the "
                       "config a verification.hash of it, or https://");
  }
  RemoteRequest request = PROV_TRY(Prepare(order));
  if (request.url.substr(0, request.url.find_first_of("/?", scheme.size() + 3)).find('@') != std::string::npos) {
    return RefuseOrder(order, "with credentials in its URL; put them into httpHeaders");
  }
  for (const std::string& authority : order.settings.authorities) {
    for (std::string& root : PROV_TRY(ParseRoots(authority, "ignition.security.tls.certificateAuthorities"))) {
      request.roots.push_back(std::move(root));
    }
  }
  if (request.roots.empty()) request.roots = trust_.roots;
  if (request.roots.empty() && !trust_.system && !plain) {
    return RefuseOrder(
        order,
        "but no CA for that server is given: add one to the config (ignition.security.tls.certificateAuthorities), "
        "name it with --ca FILE, or give a config with all contents inline");
  }
  request.proxy_url = request_.proxy_url ? request_.proxy_url : PROV_TRY(ProxyFor(order));
  request.answer_seconds = order.settings.answer_seconds.value_or(request.answer_seconds);
  if (!etag.empty()) request.headers.emplace_back("If-None-Match", etag);
  const int total = order.settings.total_seconds.value_or(0);
  return source::Ask(request, ports_, time_, total > 0 ? total : kLongestTimeout);
}

Result<std::string> HttpFetcher::Fetch(const FetchOrder& order) {
  const auto fresh = fresh_.find(OrderKey(order));
  net::FetchAnswer answer;
  if (fresh != fresh_.end()) {
    answer = std::move(fresh->second);
    fresh_.erase(fresh);
  } else {
    answer = PROV_TRY(Ask(order, ""));
  }
  if (ports_.cache != nullptr) fetched_.push_back({order, std::string(answer.Header("etag")), Sha256(answer.body)});
  return std::move(answer.body);
}

Result<bool> HttpFetcher::StillSame(std::vector<Fetched>& known) {
  for (Fetched& one : known) {
    if (one.order.has_hash) continue;  // its contents can't change
    net::FetchAnswer answer = PROV_TRY(Ask(one.order, one.etag));
    if (answer.status == net::http_status::kNotModified) continue;
    if (Sha256(answer.body) == one.digest) {
      one.etag = answer.Header("etag");
      continue;
    }
    // Keep the old entity tag: if the reading that follows fails, the next one must see the change again.
    fresh_.insert_or_assign(OrderKey(one.order), std::move(answer));
    return false;
  }
  return true;
}

}  // namespace prov::source
