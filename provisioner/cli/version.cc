// What --version says. Compiled with the definitions PROVISIONER_VERSION, _COMPILER, _TARGET and _PACKAGE_*, which say
// what CMake found; the commit comes from a header that each build writes anew where it changed.
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <rapidjson/rapidjson.h>
#include <yaml.h>
#include <zlib.h>

#include <boost/version.hpp>

#include "prov_commit.h"
#include "provisioner/cli/main.h"
#include "provisioner/net/http.h"

namespace prov::cli {
namespace {

std::string Library(std::string_view name, std::string_view version, std::string_view package) {
  return package.empty() ? fmt::format("  {:<10} {}\n", name, version)
                         : fmt::format("  {:<10} {} (package {})\n", name, version, package);
}

}  // namespace

std::string VersionText() {
  std::string out = "provisioner " PROVISIONER_VERSION "\n";
  out += "commit " PROVISIONER_COMMIT "\n";
  out += "compiled by " PROVISIONER_COMPILER " for " PROVISIONER_TARGET "\n";
  out += "libraries linked in:\n";
  out +=
      Library("Boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100),
              PROVISIONER_PACKAGE_BOOST);
  out += Library("fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100),
                 PROVISIONER_PACKAGE_FMT);
  const std::string curl = net::LinkedLibcurlVersion();
  if (!curl.empty()) out += Library("libcurl", curl, PROVISIONER_PACKAGE_CURL);
  out += Library("libyaml", yaml_get_version_string(), PROVISIONER_PACKAGE_YAML);
  out += Library("OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING), PROVISIONER_PACKAGE_OPENSSL);
  out += Library("RapidJSON", RAPIDJSON_VERSION_STRING, PROVISIONER_PACKAGE_RAPIDJSON);
  out += Library("zlib", zlibVersion(), PROVISIONER_PACKAGE_ZLIB);
  if (curl.empty()) out += "loaded when they are needed: libcurl, libarchive, libwim\n";
  return out;
}

}  // namespace prov::cli
