// The sample that ships with the project, for tests of the stages after the reader.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "provisioner/egress/egress_config.h"
#include "provisioner/pki/trust_bundle.h"
#include "tests/support/paths.h"

namespace prov::testing_support {

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline const std::string& SampleFolder() {
  static const std::string folder = testing_support::TestsFolder() + "/sample/";
  return folder;
}

// Of a file of the sample.
inline std::string SampleText(const std::string& name) { return ReadAll(SampleFolder() + name); }

// "corporate-root", "proxy-root" or "corporate-intermediate".
inline std::string Pem(const std::string& name) { return SampleText(name + ".pem"); }

inline std::string Indented(std::string_view text, std::size_t blanks) {
  std::string out(blanks, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out.append(blanks, ' ');
  }
  return out;
}

// Root, second root and intermediate, in this order.
inline std::vector<pki::Certificate> SampleCertificates() {
  Findings findings;
  std::vector<pki::Certificate> out;
  for (const char* name : {"corporate-root", "proxy-root", "corporate-intermediate"}) {
    auto parsed = pki::ParseTrustBundle(Pem(name), name, findings);
    if (parsed && parsed->size() == 1) out.push_back(parsed->front());
  }
  return out;
}

// A config that states everything, with a password in both URLs.
inline egress::EgressConfig SampleConfig() {
  egress::EgressConfig config;
  config.source = {"MachineConfig", "rendered-worker-00000000000000000000000000000001", "3.4.0"};
  config.proxy_file = {"/etc/mco/proxy.env", true, "", 0, 0644};
  config.http_proxy = Secret("http://user:c4nary%40@proxy.example.com:3128");
  config.https_proxy = Secret("http://user:c4nary%40@proxy.example.com:3128");
  config.no_proxy = ".svc,10.0.0.0/16,localhost,example.com";
  config.trust_file = {"/etc/pki/bundle.crt", true, "", 0, 0600};
  config.certificates = SampleCertificates();
  return config;
}

}  // namespace prov::testing_support
