// An API server in memory whose objects have versions: a patch that names another version than the present one is a
// conflict.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "provisioner/base/rapidjson.h"
#include "tests/source/kube_helpers.h"

namespace prov::controller {

class VersionedCluster final : public net::Http, public Clock {
 public:
  std::map<std::string, std::string> objects;  // by path, without their version
  std::map<std::string, int> versions;         // by path
  std::vector<std::string> writes;             // "PATCH path", "POST path"
  std::vector<std::string> bodies;             // of the writes
  std::function<void(const std::string& path)> before_write;
  std::function<int(const std::string& verb, const std::string& path)> refuse;  // a status, or 0
  std::function<int(const std::string& body)> refuse_body;                      // of a patch: the same
  std::int64_t now = 1'800'000'000;
  bool stop = false;  // this program was asked to stop

  void Put(const std::string& path, const std::string& object) {
    objects[path] = object;
    ++versions[path];
  }
  rapidjson::Document At(const std::string& path) const {
    rapidjson::Document out;
    const std::string& text = objects.at(path);
    out.Parse(text.data(), text.size());
    return out;
  }

  Result<int> Get(const net::HttpRequest&) override { return Fail(Code::kInternal, "a probe"); }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& request) override {
    if (request.should_stop && request.should_stop()) return Fail(Code::kNetwork, "stopped", "test");
    const std::string path = PathOf(request);
    if (const int status = refuse ? refuse("get", path) : 0; status != 0) return Refused(status, path);
    if (!objects.contains(path)) return Refused(404, path);
    rapidjson::Document document = At(path);
    auto& metadata = document["metadata"];
    const std::string version = std::to_string(versions.at(path));
    metadata.AddMember("resourceVersion", rapidjson::Value(version.c_str(), document.GetAllocator()),
                       document.GetAllocator());
    return source::FakeCluster::Answer(200, TextOf(document));
  }
  Result<net::FetchAnswer> Send(const net::SendRequest& request) override {
    if (request.to.should_stop && request.to.should_stop()) return Fail(Code::kNetwork, "stopped", "test");
    const std::string path = PathOf(request.to);
    writes.push_back(request.method + " " + path);
    bodies.push_back(request.body);
    if (before_write) before_write(path);
    const std::string verb = request.method == "POST" ? "create" : "patch";
    if (const int status = refuse ? refuse(verb, path) : 0; status != 0) return Refused(status, path);
    if (request.method == "POST") return source::FakeCluster::Answer(201, request.body);
    if (const int status = refuse_body ? refuse_body(request.body) : 0; status != 0) return Refused(status, path);
    rapidjson::Document patch;
    patch.Parse(request.body.data(), request.body.size());
    const auto named = patch["metadata"].FindMember("resourceVersion");
    if (named != patch["metadata"].MemberEnd()) {
      if (named->value.GetString() != std::to_string(versions.at(path))) return Refused(409, path);
      patch["metadata"].RemoveMember("resourceVersion");
    }
    rapidjson::Document document = At(path);
    Merge(document, patch, document.GetAllocator());
    Put(path, TextOf(document));
    return source::FakeCluster::Answer(200, "{}");
  }
  std::int64_t NowUnix() override { return now; }
  bool Wait(std::int64_t milliseconds) override {
    now += (milliseconds + 999) / 1000;
    return !stop;
  }

  source::SourcePorts Ports() { return {*this, *this}; }

 private:
  static std::string PathOf(const net::FetchRequest& request) {
    const std::string path = source::FakeCluster::PathOf(request);
    return path.substr(0, path.find('?'));
  }
  static net::FetchAnswer Refused(int status, const std::string& path) {
    return source::FakeCluster::Answer(status, fmt::format(R"({{"kind":"Status","code":{},"details":{{"name":"{}"}}}})",
                                                           status, path.substr(path.rfind('/') + 1)));
  }
  static std::string TextOf(const rapidjson::Value& value) {
    rapidjson::StringBuffer out;
    rapidjson::Writer<rapidjson::StringBuffer> writer(out);
    value.Accept(writer);
    return out.GetString();
  }
  // RFC 7386.
  static void Merge(rapidjson::Value& into, const rapidjson::Value& patch, rapidjson::Document::AllocatorType& memory) {
    for (const auto& member : patch.GetObject()) {
      const auto found = into.FindMember(member.name);
      if (member.value.IsNull()) {
        if (found != into.MemberEnd()) into.RemoveMember(found);
      } else if (found != into.MemberEnd() && found->value.IsObject() && member.value.IsObject()) {
        Merge(found->value, member.value, memory);
      } else {
        rapidjson::Value name(member.name, memory);
        rapidjson::Value value;
        if (member.value.IsObject()) {
          value.SetObject();
          Merge(value, member.value, memory);
        } else {
          value.CopyFrom(member.value, memory);
        }
        if (found != into.MemberEnd()) into.RemoveMember(found);
        into.AddMember(name, value, memory);
      }
    }
  }
};

}  // namespace prov::controller
