// LiveCertificateStore: the stores of LOCAL_MACHINE through CryptoAPI.
#include <fmt/format.h>

#include <map>
#include <set>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

using pki::Store;

constexpr DWORD kEncoding = X509_ASN_ENCODING | PKCS_7_ASN_ENCODING;

using Context = Owned<PCCERT_CONTEXT, &CertFreeCertificateContext>;

const wchar_t* SystemStoreName(Store store) { return store == Store::kRoot ? L"ROOT" : L"CA"; }

std::string Where(const wchar_t* name) { return fmt::format("LocalMachine\\{}", Narrow(name)); }

std::unexpected<Error> CannotOpen(const wchar_t* name, DWORD error) {
  return win32::Failure(Code::kIo, "cannot open the certificate store", Where(name), error);
}

// The provider PROV_SYSTEM combines all physical stores of a system store. PROV_SYSTEM_REGISTRY is the machine's own
// alone.
OpenedStore TryOpen(const char* provider, const wchar_t* name, DWORD flags) {
  return OpenedStore(CertOpenStore(provider, 0, 0, CERT_SYSTEM_STORE_LOCAL_MACHINE | flags, name));
}

Result<OpenedStore> OpenStore(const char* provider, const wchar_t* name) {
  OpenedStore out = TryOpen(provider, name, 0);
  if (!out) return CannotOpen(name, GetLastError());
  return out;
}

Result<Context> Decode(std::string_view der, const wchar_t* store) {
  Context out(CertCreateCertificateContext(kEncoding, reinterpret_cast<const BYTE*>(der.data()),
                                           static_cast<DWORD>(der.size())));
  if (out) return out;
  return Fail(Code::kCert, fmt::format("Windows can't read the certificate (0x{:08x})", GetLastError()), Where(store));
}

// Finds the certificate with the same bytes in `store`; empty: none. Windows searches by issuer and serial number,
// which two certificates may share.
Context FindSame(HCERTSTORE store, PCCERT_CONTEXT wanted, std::string_view der) {
  Context found;
  do {
    found = Context(CertFindCertificateInStore(store, kEncoding, 0, CERT_FIND_SUBJECT_CERT, wanted->pCertInfo,
                                               found.Release()));  // frees the previous one
  } while (found && std::string_view(reinterpret_cast<const char*>(found.get()->pbCertEncoded),
                                     found.get()->cbCertEncoded) != der);
  return found;
}

// Frees all contexts before the store: a context that outlives it keeps the store from being written. The objects here
// and below are declared in that order.
std::set<std::string, std::less<>> AllIn(HCERTSTORE store) {
  std::set<std::string, std::less<>> out;
  PCCERT_CONTEXT each = nullptr;
  while ((each = CertEnumCertificatesInStore(store, each)) != nullptr) {  // frees the previous one
    out.emplace(reinterpret_cast<const char*>(each->pbCertEncoded), each->cbCertEncoded);
  }
  return out;
}

DWORD AddTo(HCERTSTORE store, PCCERT_CONTEXT wanted, DWORD disposition) {
  return CertAddCertificateContextToStore(store, wanted, disposition, nullptr) != 0 ? ERROR_SUCCESS : GetLastError();
}

Result<void> Write(HCERTSTORE store, const wchar_t* name) {
  if (CertControlStore(store, 0, CERT_STORE_CTRL_COMMIT, nullptr) != 0) return {};
  return win32::Failure(Code::kIo, "cannot write the certificate store", Where(name));
}

constexpr const wchar_t* kDisallowed = L"Disallowed";

}  // namespace

struct LiveCertificateStore::Open {
  std::map<std::wstring_view, std::set<std::string, std::less<>>> seen;  // DER, by store
  using Stores = std::map<std::wstring_view, OpenedStore>;
  // A store is open in at most one of them: its two views must not be written in turn.
  Stores adding, removing;

  Result<bool> Contains(const wchar_t* name, std::string_view der) {
    if (!seen.contains(name)) PROV_TRY(Look(name));
    return seen[name].contains(der);
  }

  Result<std::optional<std::string>> Find(const wchar_t* name, std::string_view sha1) {
    if (!seen.contains(name)) PROV_TRY(Look(name));
    for (const std::string& der : seen[name]) {
      if (EqualsIgnoreAsciiCase(ToHex(Sha1(der)), sha1)) return der;
    }
    return std::nullopt;
  }

  Result<void> Look(const wchar_t* name) {
    PROV_TRY(WriteOut(removing));
    if (const auto found = adding.find(name); found != adding.end()) {
      seen[name] = AllIn(found->second.get());
      return {};
    }
    const OpenedStore store = TryOpen(CERT_STORE_PROV_SYSTEM_W, name, CERT_STORE_READONLY_FLAG);
    // A store that never had a certificate does not exist.
    if (!store && GetLastError() != ERROR_FILE_NOT_FOUND) return CannotOpen(name, GetLastError());
    seen[name] = store ? AllIn(store.get()) : std::set<std::string, std::less<>>();
    return {};
  }

  Result<HCERTSTORE> ForAdding(const wchar_t* name) {
    PROV_TRY(WriteOut(removing));
    if (!adding.contains(name)) adding.emplace(name, PROV_TRY(OpenStore(CERT_STORE_PROV_SYSTEM_W, name)));
    return adding.find(name)->second.get();
  }

  Result<HCERTSTORE> ForRemoving(const wchar_t* name) {
    PROV_TRY(WriteOut(adding));
    if (!removing.contains(name)) removing.emplace(name, PROV_TRY(OpenStore(CERT_STORE_PROV_SYSTEM_REGISTRY_W, name)));
    return removing.find(name)->second.get();
  }

  static Result<void> WriteOut(Stores& stores) {
    for (const auto& [name, store] : stores) PROV_TRY(Write(store.get(), name.data()));
    stores.clear();
    return {};
  }
};

LiveCertificateStore::LiveCertificateStore(Registry& registry) : registry_(registry), open_(std::make_unique<Open>()) {}
LiveCertificateStore::~LiveCertificateStore() = default;

Result<bool> LiveCertificateStore::Contains(Store store, std::string_view der) {
  return open_->Contains(SystemStoreName(store), der);
}

Result<std::optional<std::string>> LiveCertificateStore::Find(Store store, std::string_view sha1) {
  return open_->Find(SystemStoreName(store), sha1);
}

Result<bool> LiveCertificateStore::IsDisallowed(std::string_view der) { return open_->Contains(kDisallowed, der); }

Result<void> LiveCertificateStore::Flush() {
  PROV_TRY(Open::WriteOut(open_->adding));
  PROV_TRY(Open::WriteOut(open_->removing));
  return registry_.Flush();
}

Result<void> LiveCertificateStore::Add(Store store, std::string_view der) {
  const wchar_t* name = SystemStoreName(store);
  HCERTSTORE opened = PROV_TRY(open_->ForAdding(name));
  const Context wanted = PROV_TRY(Decode(der, name));
  if (FindSame(opened, wanted.get(), der)) return {};
  DWORD error = AddTo(opened, wanted.get(), CERT_STORE_ADD_NEW);
  if (error == static_cast<DWORD>(CRYPT_E_EXISTS)) {
    // Another certificate with the same issuer and serial number is there; FindSame found no equal one. Keep both.
    error = AddTo(opened, wanted.get(), CERT_STORE_ADD_ALWAYS);
  }
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot add a certificate", Where(name), error);
  if (const auto seen = open_->seen.find(name); seen != open_->seen.end()) seen->second.emplace(der);
  return {};
}

Result<void> LiveCertificateStore::Remove(Store store, std::string_view der) {
  const wchar_t* name = SystemStoreName(store);
  HCERTSTORE opened = PROV_TRY(open_->ForRemoving(name));
  open_->seen.erase(name);  // read again: another physical store may have it, too
  const Context wanted = PROV_TRY(Decode(der, name));
  Context found = FindSame(opened, wanted.get(), der);
  if (!found) return {};
  if (CertDeleteCertificateFromStore(found.Release()) == 0) {  // frees `found`, also on failure
    return win32::Failure(Code::kIo, "cannot remove a certificate", Where(name));
  }
  return {};
}

}  // namespace prov::machine
