// usage: provisioner_bench extract|simdjson FILE ROUNDS   parse a MachineConfig, decode the two wanted files
//        provisioner_bench certificates PEM ROUNDS        read and classify
//        provisioner_bench hive PEM OUT                   once: a SOFTWARE hive with these certificates
// Prints the minimum and the median of the process's CPU time in nanoseconds, and what was found.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ignition/document.h"
#include "images/registry/hive_writer.h"
#include "provisioner/base/file.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/source/machine_config_source.h"
#include "tests/bench/bench.h"

namespace prov::bench {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 30U;
constexpr std::size_t kPadding = 256;

// Runs `work` on a fresh copy of the input each time (parsing in place destroys it); the copy is not measured.
std::string Measure(const std::string& input, int rounds, const std::function<std::string(std::string&)>& work) {
  std::vector<long long> times;
  std::string found;
  std::string copy;
  copy.reserve(input.size() + kPadding);
  for (int i = 0; i < rounds; ++i) {
    copy.reserve(input.size() + kPadding);
    copy.assign(input);
    const long long start = CpuNanoseconds();
    found = work(copy);
    times.push_back(CpuNanoseconds() - start);
  }
  return Row(std::move(times), found);
}

std::string Extract(std::string& bytes) {
  ignition::Limits limits;
  limits.input = kLimit;
  const auto document = ignition::ReadConfig(std::move(bytes), "bench", {}, limits, nullptr);
  if (!document) return document.error().message;
  const auto proxy = document->config.Read(source::kProxyEnvPath);
  const auto bundle = document->config.Read(source::kTrustBundlePath);
  if (!proxy || !*proxy || !bundle || !*bundle) return "nothing";
  return fmt::format("{}+{}", (*proxy)->bytes.size(), (*bundle)->bytes.size());
}

std::string Simdjson(std::string& bytes) {
  Extracted out;
  const std::size_t size = bytes.size();
  if (!ExtractWithSimdjson(std::string_view(bytes.data(), size), bytes.capacity(), out)) return "absent";
  return fmt::format("{}+{}", out.proxy_bytes, out.bundle_bytes);
}

std::string Certificates(std::string& bytes) {
  Findings findings;
  const auto certificates = pki::ParseTrustBundle(bytes, "bench", findings);
  if (!certificates) return certificates.error().message;
  const auto roots =
      std::ranges::count_if(*certificates, [](const auto& c) { return pki::StoreFor(c, {}) == pki::Store::kRoot; });
  return fmt::format("{}/{}", certificates->size(), roots);
}

int Hive(const char* pem, const char* out) {
  const auto bytes = ReadFile(pem, kLimit);
  Findings findings;
  const auto certificates = pki::ParseTrustBundle(bytes.value_or(""), pem, findings);
  if (!certificates) return 1;
  images::RegKey root;
  images::RegKey& store = images::KeyAt(root, machine::CertificateStoreKey(pki::Store::kRoot));
  for (const pki::Certificate& c : *certificates) {
    images::RegKey& key = store.subkeys.emplace_back();
    key.name = machine::CertificateKeyName(c.der);
    key.values.push_back(
        {std::string(machine::kCertificateBlob), images::RegType::kBinary, machine::EncodeCertificateBlob(c.der)});
  }
  const auto hive = images::WriteHive(root, {});
  return hive && WriteFileAtomically(out, *hive, 0644) ? 0 : 1;
}

int Main(int argc, char** argv) {
  if (argc != 4) return 10;
  const std::string what = argv[1];
  if (what == "hive") return Hive(argv[2], argv[3]);
  const auto input = ReadFile(argv[2], kLimit);
  if (!input) return 11;
  const auto work = what == "extract" ? Extract : what == "simdjson" ? Simdjson : Certificates;
  const std::string line = Measure(*input, std::atoi(argv[3]), work);
  std::fwrite(line.data(), 1, line.size(), stdout);
  return 0;
}

}  // namespace
}  // namespace prov::bench

int main(int argc, char** argv) { return prov::bench::Main(argc, argv); }
