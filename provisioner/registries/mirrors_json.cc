#include "provisioner/registries/mirrors_json.h"

#include <string>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/registries/registries_conf.h"

namespace prov::registries {
namespace {

Result<MirrorUse> ReadUse(const JsonNode& node) {
  const std::string text = PROV_TRY(node.Text());
  for (const MirrorUse use : {MirrorUse::kAll, MirrorUse::kDigestOnly, MirrorUse::kTagOnly}) {
    if (NameOf(use) == text) return use;
  }
  return node.Refuse(Code::kType, "is none of all, digest-only, tag-only");
}

Result<Registry> ReadRegistry(const JsonNode& node) {
  Registry out;
  out.prefix = PROV_TRY(node.Get("prefix", &JsonNode::Text));
  out.location = PROV_TRY(node.Get("location", &JsonNode::Text));
  out.blocked = PROV_TRY(node.Get("blocked", &JsonNode::Bool));
  out.insecure = PROV_TRY(node.Get("insecure", &JsonNode::Bool));
  for (const JsonNode& one : PROV_TRY(node.Get("mirrors", &JsonNode::Items))) {
    Mirror mirror;
    mirror.location = PROV_TRY(one.Get("location", &JsonNode::Text));
    mirror.insecure = PROV_TRY(one.Get("insecure", &JsonNode::Bool));
    mirror.use = PROV_TRY(one.Get("use", ReadUse));
    out.mirrors.push_back(std::move(mirror));
  }
  return out;
}

Result<RegistryCa> ReadRegistryCa(const JsonNode& node) {
  RegistryCa out;
  out.host = PROV_TRY(node.Get("host", &JsonNode::Text));
  for (const JsonNode& one : PROV_TRY(node.Get("certificates", &JsonNode::Items)))
    out.certificates.push_back(PROV_TRY(one.Bytes()));
  return out;
}

void WriteCas(JsonWriter& json, const std::vector<RegistryCa>& cas) {
  json.Key("cas").BeginArray();
  for (const RegistryCa& ca : cas) {
    json.BeginObject().Member("host", ca.host).Key("certificates").BeginArray();
    for (const std::string& der : ca.certificates) json.String(EncodeBase64(der));
    json.EndArray().EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteMirrors(JsonWriter& json, const Mirrors& mirrors) {
  json.BeginObject().Strings("places", mirrors.places).Key("registries").BeginArray();
  for (const Registry& one : mirrors.registries) {
    json.BeginObject().Member("prefix", one.prefix).Member("location", one.location);
    json.Member("blocked", one.blocked).Member("insecure", one.insecure).Key("mirrors").BeginArray();
    for (const Mirror& mirror : one.mirrors) {
      json.BeginObject().Member("location", mirror.location).Member("insecure", mirror.insecure);
      json.Member("use", NameOf(mirror.use)).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
  if (mirrors.states_cas()) WriteCas(json, mirrors.cas);
  if (!mirrors.trust.empty()) {
    json.Key("trust").BeginArray();
    for (const std::string& der : mirrors.trust) json.String(EncodeBase64(der));
    json.EndArray();
  }
  json.EndObject();
}

Result<Mirrors> ReadMirrors(const JsonNode& node) {
  Mirrors out;
  out.places = PROV_TRY(node.Get("places", &JsonNode::Texts));
  for (const JsonNode& one : PROV_TRY(node.Get("registries", &JsonNode::Items)))
    out.registries.push_back(PROV_TRY(ReadRegistry(one)));
  if (const auto cas = PROV_TRY(node.Find("cas", &JsonNode::Items))) {
    for (const JsonNode& one : *cas) out.cas.push_back(PROV_TRY(ReadRegistryCa(one)));
    out.states_no_cas = cas->empty();
  }
  if (const auto trust = PROV_TRY(node.Find("trust", &JsonNode::Items))) {
    for (const JsonNode& one : *trust) out.trust.push_back(PROV_TRY(one.Bytes()));
  }
  return out;
}

}  // namespace prov::registries
