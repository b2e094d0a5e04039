// Registries, a token service and a storage host in memory, for pulls.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/net/http.h"

namespace prov::pull {

inline std::string DigestOf(const std::string& bytes) { return "sha256:" + ToHex(Sha256(bytes)); }

class FakeRegistries final : public net::Http, public Clock {
 public:
  using Answer = Result<net::FetchAnswer>;
  struct Asked {
    std::string method, url, authorization, accept, body;
    bool proxied = false;
    std::size_t roots = 0;
    bool skip_verify = false;
  };

  // What is asked for is looked up by "METHOD URL"; then by the URL alone; without either the answer is 404.
  std::map<std::string, Answer> pages;
  std::map<std::string, std::size_t> sizes;  // by digest
  std::vector<Asked> asked;
  // Called first; an answer with status 0 means that the page counts.
  std::function<Answer(const Asked&)> guard;
  std::int64_t now = 1'800'000'000;
  bool unreachable = false;  // what `guard` gives as an error means that no connection came about

  static Answer Page(std::string body, int status = 200,
                     std::vector<std::pair<std::string, std::string>> headers = {}) {
    net::FetchAnswer out;
    out.status = status;
    out.headers = std::move(headers);
    out.headers.emplace_back("content-length", std::to_string(body.size()));
    out.body = std::move(body);
    return out;
  }
  static Answer Leads(const std::string& to) {
    Answer out = Page("", 307);
    out->redirect_url = to;
    return out;
  }

  // Puts a blob or manifest below this root ("https://host/v2/name"), by its digest, and says which that is.
  std::string Put(const std::string& root, const std::string& kind, const std::string& bytes,
                  const std::string& type = "application/vnd.oci.image.manifest.v1+json") {
    const std::string digest = DigestOf(bytes);
    sizes[digest] = bytes.size();
    pages[fmt::format("{}/{}/{}", root, kind, digest)] =
        Page(bytes, 200, {{"content-type", type}, {"docker-content-digest", digest}});
    return digest;
  }
  // A descriptor of what was put, with further members ("\"urls\":[]").
  std::string Descriptor(const std::string& digest, const std::string& type, const std::string& more = "") const {
    return fmt::format(R"({{"mediaType":"{}","digest":"{}","size":{}{}{}}})", type, digest, sizes.at(digest),
                       more.empty() ? "" : ",", more);
  }
  void Tag(const std::string& root, const std::string& tag, const std::string& digest) {
    pages[root + "/manifests/" + tag] = pages.at(root + "/manifests/" + digest);
  }

  std::vector<std::string> Urls() const {
    std::vector<std::string> out;
    for (const Asked& one : asked) out.push_back(one.method + " " + one.url);
    return out;
  }

  Result<int> Get(const net::HttpRequest&) override { return Fail(Code::kInternal, "a probe"); }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& request) override {
    return Serve(request, request.head ? "HEAD" : "GET", "");
  }
  Result<net::FetchAnswer> Send(const net::SendRequest& request) override {
    return Serve(request.to, request.method, request.body);
  }
  std::int64_t NowUnix() override { return now; }
  bool Wait(std::int64_t milliseconds) override {
    now += milliseconds / 1000;
    return true;
  }

 private:
  Answer Serve(const net::FetchRequest& request, const std::string& method, const std::string& body) {
    Asked one{
        method, request.url, "", "", body, request.proxy_url.has_value(), request.roots.size(), request.skip_verify};
    if (request.authorization) one.authorization = request.authorization->Reveal();
    for (const auto& [name, value] : request.headers) {
      if (name == "Accept") one.accept = value;
    }
    asked.push_back(one);
    if (guard) {
      Answer said = guard(one);
      if (!said && request.notes != nullptr) request.notes->is_unreachable = unreachable;
      if (!said || said->status != 0) return said;
    }
    auto page = pages.find(method + " " + request.url);
    if (page == pages.end()) page = pages.find(request.url);
    if (page == pages.end()) return Page("", 404);
    Answer out = page->second;
    if (!out) return out;
    if (request.sink && out->status == 200) {
      request.sink(out->body);
      out->body.clear();
    }
    if (request.head) out->body.clear();
    return out;
  }
};

// An image for Windows of two builds and for Linux, with one layer each.
struct SampleImage {
  std::string index, windows, layer;  // digests

  static SampleImage PutAt(FakeRegistries& at, const std::string& root) {
    SampleImage out;
    std::string entries;
    for (const auto& [os, version] : std::vector<std::pair<std::string, std::string>>{
             {"windows", "10.0.17763.1"}, {"windows", "10.0.20348.5"}, {"linux", ""}}) {
      const std::string config =
          at.Put(root, "blobs", fmt::format(R"({{"os":"{}","architecture":"amd64","os.version":"{}"}})", os, version));
      const std::string layer = at.Put(root, "blobs", "layer of " + os + version);
      const std::string manifest =
          at.Put(root, "manifests",
                 fmt::format(R"({{"config":{},"layers":[{}]}})", at.Descriptor(config, "application/vnd.x.config"),
                             at.Descriptor(layer, "application/vnd.x.tar")),
                 "application/vnd.oci.image.manifest.v1+json");
      entries += entries.empty() ? "" : ",";
      entries += at.Descriptor(
          manifest, "application/vnd.oci.image.manifest.v1+json",
          fmt::format(R"("platform":{{"os":"{}","architecture":"amd64","os.version":"{}"}})", os, version));
      if (version == "10.0.20348.5") out.windows = manifest, out.layer = layer;
    }
    out.index = at.Put(root, "manifests", fmt::format(R"({{"manifests":[{}]}})", entries),
                       "application/vnd.oci.image.index.v1+json");
    at.Tag(root, "v1", out.index);
    return out;
  }
};

}  // namespace prov::pull
