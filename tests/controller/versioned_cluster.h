// An API server in memory whose objects have versions: a patch that names another version than the present one is a
// conflict.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/fleet/node_state.h"
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
  std::string refusal;                                                          // the words of each
  std::function<void()> on_wait;                                                // time goes on
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

  // Of a Node; "": it has none, or there is no such Node.
  std::string NodeAnnotation(const std::string& name, const char* key) const {
    if (!objects.contains(NodePath(name))) return "";
    const auto object = At(NodePath(name));
    const auto& annotations = object["metadata"]["annotations"];
    const auto found = annotations.FindMember(key);
    return found == annotations.MemberEnd() ? "" : found->value.GetString();
  }
  // Puts a Node that says this, with the approval that it has already.
  void PutNode(const std::string& name, const fleet::NodeState& state, bool is_ready = true) {
    JsonWriter json;
    json.BeginObject().Key("metadata").BeginObject().Member("name", name).Key("annotations").BeginObject();
    json.Member(fleet::kStateAnnotation, fleet::StateText(state));
    for (const char* key : {"egress-provisioner/approved", "egress-provisioner/rollout"}) {
      if (const std::string value = NodeAnnotation(name, key); !value.empty()) json.Member(key, value);
    }
    json.EndObject().EndObject().Key("status").BeginObject().Key("conditions").BeginArray().BeginObject();
    json.Member("type", "Ready").Member("status", is_ready ? "True" : "Unknown");
    Put(NodePath(name), json.EndObject().EndArray().EndObject().EndObject().OneLine());
  }
  // Of the approval that the Node has.
  std::int64_t ApprovedAttempt(const std::string& name) const {
    const auto rollout = ParseJsonDocument(NodeAnnotation(name, "egress-provisioner/rollout"), name);
    const auto attempt = rollout ? rollout->Get("attempt", &JsonNode::Integer) : std::unexpected(rollout.error());
    EXPECT_TRUE(attempt);
    return attempt.value_or(0);
  }
  static std::string NodePath(const std::string& name) { return "/api/v1/nodes/" + name; }

  Result<int> Get(const net::HttpRequest&) override { return Fail(Code::kInternal, "a probe"); }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& request) override {
    if (request.should_stop && request.should_stop()) return Fail(Code::kNetwork, "stopped", "test");
    const std::string path = PathOf(request);
    if (const int status = refuse ? refuse("get", path) : 0; status != 0) return Refused(status, path);
    if (const auto list = ListOf(path, NodeOf(request))) return source::FakeCluster::Answer(200, *list);
    if (!objects.contains(path)) return Refused(404, path);
    return source::FakeCluster::Answer(200, WithVersion(path));
  }
  Result<net::FetchAnswer> Send(const net::SendRequest& request) override {
    if (request.to.should_stop && request.to.should_stop()) return Fail(Code::kNetwork, "stopped", "test");
    const std::string path = PathOf(request.to);
    writes.push_back(request.method + " " + path);
    bodies.push_back(request.body);
    if (before_write) before_write(path);
    const std::string verb = request.method == "POST" ? "create" : "patch";
    if (const int status = refuse ? refuse(verb, path) : 0; status != 0) return Refused(status, path);
    if (request.method == "POST") {
      rapidjson::Document made;
      made.Parse(request.body.data(), request.body.size());
      if (const auto name = made["metadata"].FindMember("name"); name != made["metadata"].MemberEnd()) {
        const std::string at = path + "/" + name->value.GetString();
        if (objects.contains(at)) return Refused(409, at);
        Put(at, request.body);
      }
      return source::FakeCluster::Answer(201, request.body);
    }
    if (const int status = refuse_body ? refuse_body(request.body) : 0; status != 0) return Refused(status, path);
    if (!objects.contains(path)) return Refused(404, path);
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
    if (on_wait) on_wait();
    return !stop;
  }

  source::SourcePorts Ports() { return {*this, *this}; }

 private:
  std::string WithVersion(const std::string& path) const {
    rapidjson::Document document = At(path);
    const std::string version = std::to_string(versions.at(path));
    document["metadata"].AddMember("resourceVersion", rapidjson::Value(version.c_str(), document.GetAllocator()),
                                   document.GetAllocator());
    return TextOf(document);
  }
  // Of a collection that has objects, of nodes, and of the pods of a node, which are in all namespaces.
  std::optional<std::string> ListOf(const std::string& path, const std::string& node) const {
    const bool is_pods = path == "/api/v1/pods";
    const std::string begin = is_pods ? "/api/v1/namespaces/" : path + "/";
    std::string items;
    for (auto at = objects.lower_bound(begin); at != objects.end() && at->first.starts_with(begin); ++at) {
      if (is_pods && at->second.find(fmt::format(R"("nodeName":"{}")", node)) == std::string::npos) continue;
      items += (items.empty() ? "" : ",") + WithVersion(at->first);
    }
    if (items.empty() && !is_pods && !path.ends_with("/nodes")) return std::nullopt;
    return fmt::format(R"({{"kind":"List","metadata":{{}},"items":[{}]}})", items);
  }
  // That a list of pods is asked for; "": none.
  static std::string NodeOf(const net::FetchRequest& request) {
    constexpr std::string_view kMark = "fieldSelector=spec.nodeName%3D";
    const std::string path = source::FakeCluster::PathOf(request);
    const std::size_t at = path.find(kMark);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + kMark.size();
    return path.substr(begin, path.find('&', begin) - begin);
  }
  static std::string PathOf(const net::FetchRequest& request) {
    const std::string path = source::FakeCluster::PathOf(request);
    return path.substr(0, path.find('?'));
  }
  net::FetchAnswer Refused(int status, const std::string& path) const {
    JsonWriter json;
    json.BeginObject().Member("kind", "Status").Member("code", status).Member("message", refusal);
    json.Key("details").BeginObject().Member("name", path.substr(path.rfind('/') + 1)).EndObject().EndObject();
    return source::FakeCluster::Answer(status, json.Text());
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
