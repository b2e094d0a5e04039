#include "tests/support/memory_machine.h"

#include <algorithm>
#include <random>

#include "images/registry/hive_names.h"
#include "images/registry/security.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/certificate_blob.h"

namespace prov::testing_support {
namespace {

using images::RegValue;
using pki::Store;

// Names of keys without their case, as the registry compares them; ASCII in lower case.
std::string Folded(std::string_view key) {
  const auto units = images::regf::NameFromUtf8(key);
  return AsciiLower(units ? images::regf::NameToUtf8(images::regf::Upcase(*units)) : std::string(key));
}

std::string Parent(const std::string& key) {
  const std::size_t backslash = key.rfind('\\');
  return backslash == std::string::npos ? std::string() : key.substr(0, backslash);
}

// Of each entry that differs, one version or the other.
template <class Map>
Map Mixed(const Map& now, const Map& durable, std::minstd_rand& random) {
  Map out;
  const auto pick = [&] { return random() % 2 == 0; };
  for (const auto& [name, value] : now) {
    const auto old = durable.find(name);
    if (old != durable.end() && old->second == value) {
      out[name] = value;
    } else if (pick()) {
      out[name] = value;
    } else if (old != durable.end()) {
      out[name] = old->second;
    }
  }
  for (const auto& [name, value] : durable) {
    if (!now.contains(name) && pick()) out[name] = value;
  }
  return out;
}

}  // namespace

std::string MemoryMachine::Content::Text() const {
  std::string out;
  for (const auto& [path, key] : keys) {
    out += "[" + path + "]" + (key.security.empty() ? "" : " security " + ToHex(key.security)) + "\n";
    for (const auto& [name, value] : key.values) {
      const bool binary = value.type == images::RegType::kBinary;
      const std::string data = binary ? ToHex(value.data) : Printable(FromUtf16Le(value.data).value_or(value.data));
      out += value.name + ":" + std::to_string(static_cast<unsigned>(value.type)) + "=" + data + "\n";
    }
  }
  for (const auto& [store, ders] : certificates) {
    for (const auto& [der, own] : ders) {
      out += std::string(NameOf(store)) + (own ? " own " : " policy ") + Printable(der.substr(0, 40)) + "\n";
    }
  }
  for (const std::string& folder : folders) out += "folder " + folder + "\n";
  for (const auto& [path, bytes] : files)
    out += "file " + path + (closed.contains(path) ? " closed " : " ") + ToHex(Sha256(bytes)) + "\n";
  return out;
}

MemoryMachine::MemoryMachine() {
  now_.certificates = {{Store::kRoot, {}}, {Store::kCa, {}}};
  PutKey("SYSTEM");
  PutKey("SOFTWARE");
}

template <class Effect>
auto MemoryMachine::Call(std::string what, Effect effect) -> Result<decltype(effect())> {
  if (calls == fail_at) {
    ++calls;
    failed_call = what;
    return Fail(Code::kIo, "an injected failure", what);
  }
  if constexpr (std::is_void_v<decltype(effect())>) {
    Step([&] {
      log.push_back(std::move(what));
      effect();
    });
    return {};
  } else {
    return Step(effect);
  }
}

void MemoryMachine::MakeKey(std::string_view key) {
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = key.find('\\', end + 1);
    const std::string_view path = key.substr(0, end);
    Key& made = now_.keys[Folded(path)];
    if (made.spelling.empty()) made.spelling = path;
  }
}

void MemoryMachine::PutKey(std::string_view key) {
  MakeKey(key);
  MakeDurable();
}

void MemoryMachine::Put(std::string_view key, const RegValue& value) {
  MakeKey(key);
  now_.keys[Folded(key)].values[AsciiLower(value.name)] = value;
  MakeDurable();
}

void MemoryMachine::Erase(std::string_view key, std::string_view name) {
  now_.keys[Folded(key)].values.erase(AsciiLower(name));
  MakeDurable();
}

std::optional<RegValue> MemoryMachine::At(std::string_view key, std::string_view name) const {
  const auto found = now_.keys.find(Folded(key));
  if (found == now_.keys.end()) return std::nullopt;
  const auto value = found->second.values.find(AsciiLower(name));
  return value == found->second.values.end() ? std::nullopt : std::optional(value->second);
}

std::optional<std::string> MemoryMachine::Section(std::string_view name) const {
  MemoryMachine copy = *this;
  copy.GoOn();
  const auto section = copy.State().Read(name).value();
  return section ? std::optional(section->Json()) : std::nullopt;
}

std::map<std::string, std::string> MemoryMachine::Sections() const {
  std::map<std::string, std::string> out;
  const auto file = files_.find(std::string(machine::kStateFile));
  if (file == files_.end()) return out;
  const auto root = ParseJsonDocument(file->second, file->first).value();
  const auto sections = root.Get("sections").value().Members().value();
  for (const auto& [name, section] : sections) out[name] = section.Json();
  return out;
}

void MemoryMachine::Boot(Unflushed unflushed, std::uint32_t seed) {
  std::minstd_rand random(seed + 1);
  if (unflushed == Unflushed::kLost) now_ = durable_;
  if (unflushed == Unflushed::kSome) {
    for (auto& [path, key] : now_.keys) {
      const auto old = durable_.keys.find(path);
      if (old == durable_.keys.end()) continue;
      key.values = Mixed(key.values, old->second.values, random);
      if (random() % 2 == 0) key.security = old->second.security;
    }
    for (const Store store : {Store::kRoot, Store::kCa}) {
      now_.certificates[store] = Mixed(now_.certificates[store], durable_.certificates[store], random);
    }
  }
  MakeDurable();
  GoOn();
  calls = 0;
  log.clear();
  ++boot_;
}

Result<bool> MemoryMachine::KeyExists(std::string_view key) {
  return Call("KeyExists", [&] { return now_.keys.contains(Folded(key)); });
}

Result<std::optional<RegValue>> MemoryMachine::Read(std::string_view key, std::string_view name) {
  return Call("Read", [&] { return At(key, name); });
}

Result<std::vector<std::string>> MemoryMachine::Subkeys(std::string_view key) {
  return Call("Subkeys", [&] {
    std::vector<std::string> out;
    const std::string prefix = Folded(key);
    for (const auto& [path, content] : now_.keys) {
      if (Parent(path) == prefix) out.push_back(content.spelling.substr(prefix.size() + 1));
    }
    return out;
  });
}

Result<void> MemoryMachine::Set(std::string_view key, const RegValue& value) {
  return Call("Set " + std::string(key) + "\\" + value.name, [&] {
    MakeKey(key);
    RegValue& place = now_.keys[Folded(key)].values[AsciiLower(value.name)];
    const std::string spelling = place.name.empty() ? value.name : place.name;
    place = value;
    place.name = spelling;
  });
}

Result<void> MemoryMachine::DeleteValue(std::string_view key, std::string_view name) {
  return Call("DeleteValue " + std::string(key) + "\\" + std::string(name), [&] {
    const auto found = now_.keys.find(Folded(key));
    if (found != now_.keys.end()) found->second.values.erase(AsciiLower(name));
  });
}

Result<void> MemoryMachine::DeleteKeyIfEmpty(std::string_view key) {
  return Call("DeleteKeyIfEmpty " + std::string(key), [&] {
    const std::string path = Folded(key);
    const auto found = now_.keys.find(path);
    if (found == now_.keys.end() || !found->second.values.empty()) return;
    const auto child = now_.keys.lower_bound(path + "\\");
    if (child == now_.keys.end() || !child->first.starts_with(path + "\\")) now_.keys.erase(found);
  });
}

Result<std::string> MemoryMachine::Security(std::string_view key) {
  return Call("Security", [&]() -> std::string {
    const auto found = now_.keys.find(Folded(key));
    if (found == now_.keys.end()) return {};
    return found->second.security.empty() ? images::SystemAdminsUsersDescriptor() : found->second.security;
  });
}

Result<void> MemoryMachine::SetSecurity(std::string_view key, std::string_view descriptor) {
  return Call("SetSecurity " + std::string(key), [&] {
    MakeKey(key);
    now_.keys[Folded(key)].security =
        descriptor == images::SystemAdminsUsersDescriptor() ? "" : std::string(descriptor);
  });
}

Result<bool> MemoryMachine::Contains(Store store, std::string_view der) {
  return Call("Contains", [&] { return now_.certificates[store].contains(std::string(der)); });
}

Result<std::optional<std::string>> MemoryMachine::Find(Store store, std::string_view sha1) {
  return Call("Find", [&]() -> std::optional<std::string> {
    for (const auto& [der, own] : now_.certificates[store]) {
      if (EqualsIgnoreAsciiCase(ToHex(Sha1(der)), sha1)) return der;
    }
    return std::nullopt;
  });
}

Result<bool> MemoryMachine::IsDisallowed(std::string_view der) {
  return Call("IsDisallowed", [&] { return now_.disallowed.contains(std::string(der)); });
}

Result<void> MemoryMachine::Add(Store store, std::string_view der) {
  return Call("Add " + std::string(NameOf(store)), [&] {
    now_.certificates[store].emplace(std::string(der), true);
    now_.keys.erase(Folded(machine::CertificateKeyPath(store, der)));  // a damaged entry, whose place it takes
  });
}

Result<void> MemoryMachine::Remove(Store store, std::string_view der) {
  return Call("Remove " + std::string(NameOf(store)), [&] {
    auto& certificates = now_.certificates[store];
    const auto found = certificates.find(std::string(der));
    if (found != certificates.end() && found->second) certificates.erase(found);
  });
}

std::optional<std::string> MemoryMachine::AccountSid(std::string_view account) {
  const auto found = accounts.find(account);
  return found == accounts.end() ? std::nullopt : std::optional(found->second);
}

Result<void> MemoryMachine::Flush() {
  return Call("Flush", [&] { MakeDurable(); });
}

Result<std::optional<std::string>> MemoryMachine::Read(std::string_view name) {
  return Call("ReadFile " + std::string(name), [&]() -> std::optional<std::string> {
    const auto found = files_.find(std::string(name));
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  });
}

Result<void> MemoryMachine::Write(std::string_view name, std::string_view bytes) {
  return Call("Write " + std::string(name), [&] { files_[std::string(name)] = bytes; });
}

Result<void> MemoryMachine::Remove(std::string_view name) {
  return Call("Remove " + std::string(name), [&] { files_.erase(std::string(name)); });
}

void MemoryMachine::PutFileOf(std::string_view path, std::string_view bytes) {
  const std::string at = Folded(path);
  for (Content* content : {&now_, &durable_}) {
    for (std::string folder = Parent(at); folder.find('\\') != std::string::npos; folder = Parent(folder))
      content->folders.insert(folder);
    content->files[at] = bytes;
    content->closed.erase(at);
  }
}

void MemoryMachine::CloseFileOf(std::string_view path) {
  for (Content* content : {&now_, &durable_}) content->closed.insert(Folded(path));
}

std::optional<std::string> MemoryMachine::FileAt(std::string_view path) const {
  const auto found = now_.files.find(Folded(path));
  return found == now_.files.end() ? std::nullopt : std::optional(found->second);
}

template <class Effect>
auto MemoryMachine::FileCall(std::string what, std::string_view path, Effect effect) -> Result<decltype(effect())> {
  if (unsafe_files.contains(Folded(path))) return Fail(Code::kOwner, "can be changed by Users", std::string(path));
  const bool fails = file_calls++ == fail_file_at;
  if (fails) failed_call = what + " " + std::string(path);
  if (fails && !fails_late) return Fail(Code::kIo, "an injected failure", std::string(path));
  Result<decltype(effect())> done = Call(std::move(what), effect);
  if (fails) return Fail(Code::kIo, "an injected failure after the effect", std::string(path));
  return done;
}

Result<std::optional<std::string>> MemoryMachine::ReadFile(std::string_view path, std::uint64_t /*limit*/) {
  return FileCall("ReadFile", path, [&] { return FileAt(path); });
}

Result<bool> MemoryMachine::IsForEverybody(std::string_view path) {
  return FileCall("IsForEverybody", path,
                  [&] { return now_.files.contains(Folded(path)) && !now_.closed.contains(Folded(path)); });
}

Result<void> MemoryMachine::PutFile(std::string_view path, std::string_view bytes, machine::FileAccess access) {
  return FileCall("PutFile " + std::string(path), path, [&] {
    const bool closed = access == machine::FileAccess::kClosed || now_.closed.contains(Folded(path));
    PutFileOf(path, bytes);
    if (closed) CloseFileOf(path);
  });
}

Result<void> MemoryMachine::RemoveFile(std::string_view path) {
  return FileCall("RemoveFile " + std::string(path), path, [&] {
    for (Content* content : {&now_, &durable_}) {
      content->files.erase(Folded(path));
      content->closed.erase(Folded(path));
    }
  });
}

Result<bool> MemoryMachine::FolderExists(std::string_view path) {
  return FileCall("FolderExists", path, [&] { return now_.folders.contains(Folded(path)); });
}

Result<void> MemoryMachine::RemoveFolderIfEmpty(std::string_view path) {
  return FileCall("RemoveFolderIfEmpty " + std::string(path), path, [&] {
    const std::string at = Folded(path);
    const auto is_in = [&](const std::string& other) { return other.starts_with(at + "\\"); };
    for (Content* content : {&now_, &durable_}) {
      const bool used = std::ranges::any_of(content->folders, is_in) ||
                        std::ranges::any_of(content->files, [&](const auto& one) { return is_in(one.first); });
      if (!used) content->folders.erase(at);
    }
  });
}

}  // namespace prov::testing_support
