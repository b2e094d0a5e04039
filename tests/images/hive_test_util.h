// What the hive tests share: trees, hives with single fields changed, a seeded random tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/registry_key.h"
#include "images/registry/security.h"
#include "provisioner/base/file.h"
#include "provisioner/base/text.h"
#include "tests/support/paths.h"

namespace prov::images::testing {

inline RegValue Value(std::string name, RegType type, std::string data) {
  return {std::move(name), type, std::move(data)};
}
inline RegKey Key(std::string name, std::vector<RegValue> values = {}, std::vector<RegKey> subkeys = {}) {
  return {std::move(name), std::move(values), std::move(subkeys), ""};
}

// Where the content of the root key's cell begins, in the bins.
inline constexpr std::uint32_t kRoot = 0x20 + 4;

// A hive whose fields tests change; offsets are those in the bins.
class Patch {
 public:
  explicit Patch(std::string hive) : hive_(std::move(hive)) {}
  Patch& Set16(std::size_t at, std::uint16_t v) { return regf::Store16(&hive_[4096 + at], v), *this; }
  Patch& Set32(std::size_t at, std::uint32_t v) { return regf::Store32(&hive_[4096 + at], v), *this; }
  Patch& SetBytes(std::size_t at, std::string_view v) { return hive_.replace(4096 + at, v.size(), v), *this; }
  Patch& SetBase32(std::size_t at, std::uint32_t v) { return regf::Store32(&hive_[at], v), *this; }
  std::uint32_t Get32(std::size_t at) const { return regf::Load32(hive_, 4096 + at); }
  // The hive, its checksum made right.
  std::string Done() {
    regf::Store32(&hive_[508], regf::BaseBlockChecksum(hive_));
    return hive_;
  }

 private:
  std::string hive_;
};

// Offset in the bins of the n-th cell (from 0) whose content starts with `start`.
inline std::uint32_t FindCell(std::string_view hive, std::string_view start, int n = 0) {
  for (std::size_t bin = 4096; bin + 32 < hive.size(); bin += regf::Load32(hive, bin + 8)) {
    const std::size_t end = bin + regf::Load32(hive, bin + 8);
    for (std::size_t at = bin + 32; at < end;) {
      const auto size = static_cast<std::int32_t>(regf::Load32(hive, at));
      if (size < 0 && hive.substr(at + 4, start.size()) == start && n-- == 0)
        return static_cast<std::uint32_t>(at - 4096);
      at += static_cast<std::size_t>(size < 0 ? -static_cast<std::int64_t>(size) : size);
    }
  }
  return regf::kNil;
}

// The folder of optional shared samples.
inline std::string SamplePath(std::string_view name) {
  return std::string(testing_support::TestsFolder()) + "/../../shared/cases/windows/" + std::string(name);
}
inline bool HasSamples() { return std::filesystem::exists(SamplePath("hive/minimal-own.hiv")); }
inline std::string Sample(std::string_view name) { return ReadFile(SamplePath(name), 1U << 24U).value(); }

// Random trees with awkward names and sizes.
class RandomTree {
 public:
  explicit RandomTree(std::uint32_t seed, unsigned max_depth = 5) : random_(seed), max_depth_(max_depth) {}

  RegKey Make(unsigned depth = 0) {
    RegKey key;
    if (depth > 0) key.name = Name();
    if (Chance(20)) key.security = Chance(50) ? SystemAdminsDescriptor() : SystemAdminsUsersDescriptor();
    for (unsigned n = Below(4); n > 0; --n) key.values.push_back(RandomValue());
    if (Chance(10)) key.values.push_back(Value("", RegType::kSz, EncodeSz("default")));
    if (depth < max_depth_) {
      for (unsigned n = Below(depth < 2 ? 9 : 3); n > 0; --n) key.subkeys.push_back(Make(depth + 1));
    }
    return key;
  }

 private:
  std::uint32_t Below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool Chance(std::uint32_t percent) { return Below(100) < percent; }

  // Unique by its number, in some alphabet.
  std::string Name() {
    static constexpr std::string_view kParts[] = {"Key",
                                                  "z",
                                                  "\xc3\xa9t\xc3\xa9 ",
                                                  "\xc3\xbf",
                                                  "\xc4\x80",
                                                  "\xce\xb1\xcf\x82",
                                                  "\xd1\x96\xd0\x96",
                                                  "\xe6\x97\xa5",
                                                  "\xf0\x9f\x98\x80",
                                                  "\xed\xa0\x80",
                                                  "\xef\xbd\x81\xe1\xba\xa1",
                                                  "a b;\"/"};
    return std::string(kParts[Below(std::size(kParts))]) + std::to_string(++serial_);
  }

  RegValue RandomValue() {
    static constexpr std::uint32_t kSizes[] = {0, 1, 3, 4, 5, 100, 1000, 4060, 4068, 16343, 16344, 16345, 20000, 50000};
    std::string data(Chance(50) ? Below(20) : kSizes[Below(std::size(kSizes))], '\0');
    for (char& c : data) c = static_cast<char>(Below(256));
    return Value(Name(), static_cast<RegType>(Chance(90) ? Below(12) : random_()), std::move(data));
  }

  std::mt19937 random_;
  unsigned max_depth_;
  int serial_ = 0;
};

// The form in which ReadHive gives a tree back: sorted, descriptors only where they change.
inline void Normalise(RegKey& key, const std::string& inherited) {
  const std::string own = key.security.empty() ? inherited : key.security;
  key.security = own == inherited ? "" : own;
  std::ranges::sort(key.subkeys, {}, [](const RegKey& k) { return regf::Upcase(regf::NameFromUtf8(k.name).value()); });
  for (RegKey& subkey : key.subkeys) Normalise(subkey, own);
}
inline RegKey Normalised(RegKey root, const std::string& default_security = SystemAdminsUsersDescriptor()) {
  if (root.security.empty()) root.security = default_security;
  root.name.clear();
  Normalise(root, "");
  return root;
}

}  // namespace prov::images::testing
