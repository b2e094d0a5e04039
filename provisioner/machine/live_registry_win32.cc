// LiveRegistry: the calls of Windows for keys, values and their security.
#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

using images::RegValue;
using Key = Owned<HKEY, &RegCloseKey>;

constexpr DWORD kMostNameUnits = 16384;  // of a value's name, with its terminator
constexpr DWORD kMostKeyUnits = 257;     // of a key's name, with its terminator

// Windows takes names as terminated strings, so a name with a NUL would be another name. Keys outside the two hives are
// refused, because Flush does not write them.
Result<void> CheckNames(std::string_view key, std::string_view name) {
  const std::string_view hive = key.substr(0, key.find('\\'));
  const bool known = EqualsIgnoreAsciiCase(hive, "SYSTEM") || EqualsIgnoreAsciiCase(hive, "SOFTWARE");
  const bool nul = key.find('\0') != std::string_view::npos || name.find('\0') != std::string_view::npos;
  if (known && !nul && !key.ends_with('\\') && IsUtf8(key) && IsUtf8(name)) return {};
  return Fail(Code::kInternal, "is not the name of a registry key or value below SYSTEM or SOFTWARE",
              fmt::format("{}\\{}", key, name));
}

bool IsAbsent(LSTATUS status) { return status == ERROR_FILE_NOT_FOUND || status == ERROR_PATH_NOT_FOUND; }

std::unexpected<Error> Failure(std::string_view what, LSTATUS status, std::string_view key) {
  return win32::Failure(Code::kIo, what, fmt::format("HKEY_LOCAL_MACHINE\\{}", key), static_cast<DWORD>(status));
}

// Empty: the key does not exist.
Result<Key> Open(std::string_view key, REGSAM access) {
  PROV_TRY(CheckNames(key, ""));
  Key out;
  const LSTATUS status = RegOpenKeyExW(HKEY_LOCAL_MACHINE, Wide(key).c_str(), 0, access | KEY_WOW64_64KEY, out.out());
  if (status == ERROR_SUCCESS || IsAbsent(status)) return out;
  return Failure("cannot open the registry key", status, key);
}

bool SameName(const std::wstring& a, const std::wstring& b) {
  return CompareStringOrdinal(a.data(), static_cast<int>(a.size()), b.data(), static_cast<int>(b.size()), TRUE) ==
         CSTR_EQUAL;
}

// A value's name as the key spells it; `asked` if the value is gone by now.
std::wstring SpellingOf(HKEY key, const std::wstring& asked) {
  std::wstring name(kMostNameUnits, L'\0');
  for (DWORD i = 0;; ++i) {
    DWORD units = kMostNameUnits;
    if (RegEnumValueW(key, i, name.data(), &units, nullptr, nullptr, nullptr, nullptr) != ERROR_SUCCESS) return asked;
    if (const std::wstring found(name.data(), units); SameName(found, asked)) return found;
  }
}

struct Raw {
  LSTATUS status = ERROR_SUCCESS;
  DWORD type = REG_NONE;
  std::string data;
};

Raw QueryValue(HKEY key, const std::wstring& name) {
  Raw out;
  DWORD size = 256;
  do {  // its length may change between two calls
    out.data.resize(size);
    out.status =
        RegQueryValueExW(key, name.c_str(), nullptr, &out.type, reinterpret_cast<BYTE*>(out.data.data()), &size);
  } while (out.status == ERROR_MORE_DATA);
  out.data.resize(size);
  return out;
}

Result<void> FlushHive(std::string_view hive) {
  const Key key = PROV_TRY(Open(hive, KEY_QUERY_VALUE));
  const LSTATUS status = key ? RegFlushKey(key.get()) : ERROR_FILE_NOT_FOUND;
  if (status != ERROR_SUCCESS) return Failure("cannot flush the registry", status, hive);
  return {};
}

}  // namespace

Result<bool> LiveRegistry::KeyExists(std::string_view key) {
  return static_cast<bool>(PROV_TRY(Open(key, KEY_QUERY_VALUE)));
}

Result<std::optional<RegValue>> LiveRegistry::Read(std::string_view key, std::string_view name) {
  PROV_TRY(CheckNames(key, name));
  const Key opened = PROV_TRY(Open(key, KEY_QUERY_VALUE));
  if (!opened) return std::nullopt;
  const std::wstring wide = Wide(name);
  Raw raw = QueryValue(opened.get(), wide);
  if (IsAbsent(raw.status)) return std::nullopt;
  if (raw.status != ERROR_SUCCESS) return Failure("cannot read a registry value", raw.status, key);
  return RegValue{Narrow(SpellingOf(opened.get(), wide)), static_cast<images::RegType>(raw.type), std::move(raw.data)};
}

Result<std::vector<std::string>> LiveRegistry::Subkeys(std::string_view key) {
  const Key opened = PROV_TRY(Open(key, KEY_ENUMERATE_SUB_KEYS));
  std::vector<std::string> out;
  if (!opened) return out;
  for (DWORD i = 0;; ++i) {
    std::wstring name(kMostKeyUnits, L'\0');
    DWORD units = kMostKeyUnits;
    const LSTATUS status = RegEnumKeyExW(opened.get(), i, name.data(), &units, nullptr, nullptr, nullptr, nullptr);
    if (status == ERROR_NO_MORE_ITEMS) return out;
    if (status != ERROR_SUCCESS) return Failure("cannot list the subkeys", status, key);
    out.push_back(Narrow({name.data(), units}));
  }
}

Result<void> LiveRegistry::Set(std::string_view key, const RegValue& value) {
  PROV_TRY(CheckNames(key, value.name));
  if (value.data.size() > MAXDWORD) return Fail(Code::kSizeLimit, "the value is too long for the registry", value.name);
  Key made;
  LSTATUS status = RegCreateKeyExW(HKEY_LOCAL_MACHINE, Wide(key).c_str(), 0, nullptr, REG_OPTION_NON_VOLATILE,
                                   KEY_SET_VALUE | KEY_WOW64_64KEY, nullptr, made.out(), nullptr);
  if (status != ERROR_SUCCESS) return Failure("cannot make the registry key", status, key);
  status = RegSetValueExW(made.get(), Wide(value.name).c_str(), 0, static_cast<DWORD>(value.type),
                          reinterpret_cast<const BYTE*>(value.data.data()), static_cast<DWORD>(value.data.size()));
  if (status != ERROR_SUCCESS) return Failure("cannot set a registry value", status, key);
  return {};
}

Result<void> LiveRegistry::DeleteValue(std::string_view key, std::string_view name) {
  PROV_TRY(CheckNames(key, name));
  const Key opened = PROV_TRY(Open(key, KEY_SET_VALUE));
  if (!opened) return {};
  const LSTATUS status = RegDeleteValueW(opened.get(), Wide(name).c_str());
  if (status != ERROR_SUCCESS && !IsAbsent(status)) return Failure("cannot delete a registry value", status, key);
  return {};
}

Result<void> LiveRegistry::DeleteKeyIfEmpty(std::string_view key) {
  const Key opened = PROV_TRY(Open(key, KEY_QUERY_VALUE | DELETE));
  if (!opened || key.find('\\') == std::string_view::npos) return {};  // never delete a hive's root
  DWORD subkeys = 0;
  DWORD values = 0;
  LSTATUS status = RegQueryInfoKeyW(opened.get(), nullptr, nullptr, nullptr, &subkeys, nullptr, nullptr, &values,
                                    nullptr, nullptr, nullptr, nullptr);
  if (status != ERROR_SUCCESS) return Failure("cannot look into the registry key", status, key);
  if (subkeys != 0 || values != 0) return {};
  // Windows refuses (access denied) if a subkey was added meanwhile.
  status = RegDeleteKeyExW(HKEY_LOCAL_MACHINE, Wide(key).c_str(), KEY_WOW64_64KEY, 0);
  if (status != ERROR_SUCCESS && !IsAbsent(status)) return Failure("cannot delete the empty registry key", status, key);
  return {};
}

Result<std::string> LiveRegistry::Security(std::string_view key) {
  const Key opened = PROV_TRY(Open(key, READ_CONTROL));
  if (!opened) return std::string();
  constexpr SECURITY_INFORMATION kParts =
      OWNER_SECURITY_INFORMATION | GROUP_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
  std::string out(256, '\0');
  LSTATUS status = ERROR_SUCCESS;
  DWORD size = 0;
  do {  // its length may change between two calls
    size = static_cast<DWORD>(out.size());
    status = RegGetKeySecurity(opened.get(), kParts, out.data(), &size);
    if (status == ERROR_INSUFFICIENT_BUFFER) out.resize(size);
  } while (status == ERROR_INSUFFICIENT_BUFFER);
  if (status != ERROR_SUCCESS) return Failure("cannot read who may use the registry key", status, key);
  out.resize(GetSecurityDescriptorLength(out.data()));
  return out;
}

// Sets the DACL only; the owner does not change. A key made here is empty until it has its descriptor.
Result<void> LiveRegistry::SetSecurity(std::string_view key, std::string_view descriptor) {
  PROV_TRY(CheckNames(key, ""));
  Key opened;
  const LSTATUS made = RegCreateKeyExW(HKEY_LOCAL_MACHINE, Wide(key).c_str(), 0, nullptr, REG_OPTION_NON_VOLATILE,
                                       READ_CONTROL | WRITE_DAC | KEY_WOW64_64KEY, nullptr, opened.out(), nullptr);
  if (made != ERROR_SUCCESS) return Failure("cannot open the registry key to say who may use it", made, key);
  std::string bytes(descriptor);
  SECURITY_DESCRIPTOR_CONTROL control = 0;
  DWORD revision = 0;
  if (GetSecurityDescriptorControl(bytes.data(), &control, &revision) == 0) {
    return Failure("the security descriptor of the registry key is invalid", static_cast<LSTATUS>(GetLastError()), key);
  }
  const bool is_protected = (control & SE_DACL_PROTECTED) != 0;
  const SECURITY_INFORMATION parts = DACL_SECURITY_INFORMATION | (is_protected ? PROTECTED_DACL_SECURITY_INFORMATION
                                                                               : UNPROTECTED_DACL_SECURITY_INFORMATION);
  const LSTATUS status = RegSetKeySecurity(opened.get(), parts, bytes.data());
  if (status != ERROR_SUCCESS) return Failure("cannot set who may use the registry key", status, key);
  return {};
}

Result<void> LiveRegistry::Flush() {
  PROV_TRY(FlushHive("SYSTEM"));
  return FlushHive("SOFTWARE");
}

}  // namespace prov::machine
