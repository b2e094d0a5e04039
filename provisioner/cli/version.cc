// Compiled with the definitions PROVISIONER_VERSION, _COMPILER, _TARGET and _PACKAGE_*, which
// hold what CMake found. The commit comes from a header that each build rewrites if the commit changed.
#include "provisioner/cli/version.h"

#include <expat.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <rapidjson/rapidjson.h>
#include <toml++/impl/version.h>  // the numbers alone; toml.h includes all of the library
#include <yaml.h>
#include <zlib.h>

#include <boost/version.hpp>
#include <string_view>
#include <vector>

#include "prov_commit.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/net/http.h"

namespace prov::cli {
namespace {

struct Library {
  std::string_view name;
  std::string version;
  std::string_view package;  // "" if it is unknown
};

// The linked libraries.
std::vector<Library> Libraries() {
  std::vector<Library> out = {
      {"Boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100),
       PROVISIONER_PACKAGE_BOOST},
      {"expat", fmt::format("{}.{}.{}", XML_MAJOR_VERSION, XML_MINOR_VERSION, XML_MICRO_VERSION),
       PROVISIONER_PACKAGE_EXPAT},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100),
       PROVISIONER_PACKAGE_FMT}};
  const std::string curl = net::LinkedLibcurlVersion();
  if (!curl.empty()) out.push_back({"libcurl", curl, PROVISIONER_PACKAGE_CURL});
  out.push_back({"libyaml", yaml_get_version_string(), PROVISIONER_PACKAGE_YAML});
  out.push_back({"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING), PROVISIONER_PACKAGE_OPENSSL});
  out.push_back({"RapidJSON", RAPIDJSON_VERSION_STRING, PROVISIONER_PACKAGE_RAPIDJSON});
  out.push_back({"toml++", fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH),
                 PROVISIONER_PACKAGE_TOMLPLUSPLUS});
  out.push_back({"zlib", zlibVersion(), PROVISIONER_PACKAGE_ZLIB});
  return out;
}

}  // namespace

std::string VersionNumber() { return PROVISIONER_VERSION; }

std::string VersionText() {
  std::string out = "provisioner " PROVISIONER_VERSION "\n";
  out += "commit " PROVISIONER_COMMIT "\n";
  out += "compiled by " PROVISIONER_COMPILER " for " PROVISIONER_TARGET "\n";
  out += "libraries linked in:\n";
  for (const Library& library : Libraries()) {
    out += fmt::format("  {:<10} {}", library.name, library.version);
    out += library.package.empty() ? "\n" : fmt::format(" (package {})\n", library.package);
  }
  if (net::LinkedLibcurlVersion().empty()) out += "loaded when they are needed: libcurl, libarchive, libwim\n";
  return out;
}

std::string VersionDocument() {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("version", PROVISIONER_VERSION).Member("commit", PROVISIONER_COMMIT);
  json.Member("compiler", PROVISIONER_COMPILER).Member("target", PROVISIONER_TARGET).Key("libraries").BeginArray();
  for (const Library& library : Libraries()) {
    json.BeginObject().Member("name", library.name).Member("version", library.version);
    json.Member("package", library.package).EndObject();
  }
  return json.EndArray().EndObject().Text();
}

}  // namespace prov::cli
