#include "tests/support/program_file.h"

#include "provisioner/base/text.h"

namespace prov::testing_support {
namespace {

std::string Number(std::uint32_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
  return out;
}
std::string Two(std::size_t value) { return Number(static_cast<std::uint32_t>(value), 2); }
std::string Four(std::size_t value) { return Number(static_cast<std::uint32_t>(value), 4); }

std::string Padded(std::string text, std::size_t to) {
  text.resize((text.size() + to - 1) / to * to);
  return text;
}

// Of a version resource; its value and the blocks in it follow the name.
std::string Block(std::string_view name, std::size_t value_size, bool text, const std::string& content) {
  const std::string head = Padded(std::string(6, '\0') + ToUtf16Le(name) + std::string(2, '\0'), 4) + content;
  return Two(head.size()) + Two(value_size) + Two(text ? 1 : 0) + head.substr(6);
}

std::string Text(std::string_view name, std::string_view value) {
  return Padded(Block(name, value.size() + 1, true, ToUtf16Le(value) + std::string(2, '\0')), 4);
}

std::string VersionResource(const FakeProgram& program) {
  const std::string fixed = Four(0xFEEF04BD) + std::string(48, '\0');
  const std::string table =
      Block("040904B0", 0, true,
            Text("InternalName", "x") + Text("ProductName", program.product) + Text("ProductVersion", program.version));
  return Block("VS_VERSION_INFO", fixed.size(), false,
               fixed + Padded(Block("VarFileInfo", 0, true, ""), 4) + Block("StringFileInfo", 0, true, table));
}

// A directory of one entry.
std::string Directory(std::uint32_t id, std::uint32_t target) {
  return std::string(12, '\0') + Two(0) + Two(1) + Four(id) + Four(target);
}

}  // namespace

std::string MakeProgram(const FakeProgram& program) {
  constexpr std::size_t kAddress = 0x1000;
  constexpr std::size_t kOffset = 512;
  const std::string version = VersionResource(program);
  const std::string resources = Directory(16, 0x8000'0018) + Directory(1, 0x8000'0030) + Directory(0x409, 0x48) +
                                Four(kAddress + 0x58) + Four(version.size()) + Four(0) + Four(0) + version;
  const bool wide = program.machine != 0x014C;
  std::string optional = Two(wide ? 0x20B : 0x10B);
  optional.resize(wide ? 108 : 92);
  optional += Four(16) + std::string(16, '\0') + Four(kAddress) + Four(resources.size());
  optional.resize(wide ? 240 : 224);
  std::string out = "MZ";
  out.resize(0x3C);
  out += Four(0x40) + std::string("PE\0\0", 4) + Two(program.machine) + Two(1) + std::string(12, '\0') +
         Two(optional.size()) + Two(0x22) + optional;
  out += std::string(".rsrc\0\0\0", 8) + Four(resources.size()) + Four(kAddress) + Four(resources.size()) +
         Four(kOffset) + std::string(16, '\0');
  out.resize(kOffset);
  return out + resources + std::string(program.rest);
}

}  // namespace prov::testing_support
