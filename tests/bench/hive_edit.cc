// usage: hive_edit make GROUPS OUT          a SOFTWARE hive of 142 KB for each group
//        hive_edit BLOBS HIVE OUT           HIVE with these certificates added: read, verified, written durably
// BLOBS: for each certificate 40 characters of its key's name, four bytes of its blob's size, the blob.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "images/registry/hive_editor.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_writer.h"
#include "provisioner/base/file.h"
#include "tests/bench/large_hive.h"

namespace prov::bench {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 30U;
constexpr std::string_view kStore = "Microsoft\\SystemCertificates\\ROOT\\Certificates";

// With a store of certificates.
int Make(const char* groups, const char* out) {
  images::RegKey root = testing_support::LargeHive(std::atoi(groups));
  images::KeyAt(root, std::string(kStore) + "\\0000000000000000000000000000000000000000")
      .values.push_back({"Blob", images::RegType::kBinary, std::string(1000, 'b')});
  const auto hive = images::WriteHive(root, {});
  return hive && WriteFileAtomically(out, *hive, 0644) ? 0 : 1;
}

Result<void> Edit(const char* blobs_file, const char* hive, const char* out) {
  const std::string blobs = PROV_TRY(ReadFile(blobs_file, kLimit));
  images::HiveEditor editor = PROV_TRY(images::HiveEditor::Open(PROV_TRY(ReadFile(hive, kLimit))));
  for (std::size_t at = 0; at + 44 <= blobs.size();) {
    const std::size_t size = images::regf::Load32(blobs, at + 40);
    const std::string key = std::string(kStore) + '\\' + blobs.substr(at, 40);
    PROV_TRY(editor.Set(key, {"Blob", images::RegType::kBinary, blobs.substr(at + 44, size)}));
    at += 44 + size;
  }
  return WriteFileAtomically(out, PROV_TRY(editor.Finish(images::kDefaultHiveTime)), 0644);
}

}  // namespace
}  // namespace prov::bench

int main(int argc, char** argv) {
  using namespace prov::bench;
  if (argc != 4) return 10;
  if (std::string_view(argv[1]) == "make") return Make(argv[2], argv[3]);
  const auto done = Edit(argv[1], argv[2], argv[3]);
  if (!done) std::fprintf(stderr, "hive_edit: %s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
