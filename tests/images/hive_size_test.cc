// Size and speed of written hives.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_test_util.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"

namespace prov::images {
namespace {

using testing::Key;
using testing::Value;

RegKey CertificateStore(std::size_t certificates, std::size_t blob_bytes) {
  RegKey root;
  RegKey& store = KeyAt(root, "Microsoft\\SystemCertificates\\ROOT\\Certificates");
  std::mt19937 random(1);
  for (std::size_t i = 0; i < certificates; ++i) {
    std::string name;
    for (int digit = 0; digit < 40; ++digit) name += "0123456789ABCDEF"[random() % 16];
    std::string blob(blob_bytes, '\0');
    for (char& c : blob) c = static_cast<char>(random());
    store.subkeys.push_back(Key(name, {Value("Blob", RegType::kBinary, blob)}));
  }
  return root;
}

// Space: the cells of a certificate need 160 bytes and its blob; bins must waste little beyond that.
TEST(HiveSize, PacksTightly) {
  for (const std::size_t blob : {815U, 940U, 1250U, 2100U, 3000U}) {
    const std::size_t size = WriteHive(CertificateStore(1000, blob), {}).value().size();
    const std::size_t needed = 1000 * (160 + (blob + 4 + 7) / 8 * 8 + 8);
    EXPECT_LT(size, needed + needed / 25 + 8192) << blob;
  }
}

TEST(HiveSize, TenThousandCertificatesAreQuick) {
  const RegKey root = CertificateStore(10000, 1000);
  const auto start = std::chrono::steady_clock::now();
  const std::string hive = WriteHive(root, {}).value();
  const auto written = std::chrono::steady_clock::now();
  const RegKey back = ReadHive(hive).value();
  const auto read = std::chrono::steady_clock::now();
  const auto ms = [](auto d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d).count(); };
  RecordProperty("write_ms", static_cast<int>(ms(written - start)));
  RecordProperty("read_ms", static_cast<int>(ms(read - written)));
  RecordProperty("bytes", static_cast<int>(hive.size()));
  std::printf("10,000 keys with 1,000-byte values: %zu bytes, written in %d ms, read in %d ms\n", hive.size(),
              static_cast<int>(ms(written - start)), static_cast<int>(ms(read - written)));
  EXPECT_EQ(back.subkeys.at(0).subkeys.at(0).subkeys.at(0).subkeys.at(0).subkeys.size(), 10000U);
  EXPECT_LT(ms(read - start), 5000) << "far from linear";
}

}  // namespace
}  // namespace prov::images
