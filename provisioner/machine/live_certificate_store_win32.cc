#include <fmt/format.h>

#include "provisioner/machine/live_certificate_store.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {
namespace {

using egress::Store;

constexpr DWORD kEncoding = X509_ASN_ENCODING | PKCS_7_ASN_ENCODING;

void CloseStore(HCERTSTORE store) { CertCloseStore(store, 0); }
using OpenedStore = Owned<HCERTSTORE, &CloseStore>;
using Context = Owned<PCCERT_CONTEXT, &CertFreeCertificateContext>;

const wchar_t* SystemStoreName(Store store) { return store == Store::kRoot ? L"ROOT" : L"CA"; }

std::string Where(const wchar_t* name) { return fmt::format("LocalMachine\\{}", Narrow(name)); }

// PROV_SYSTEM gives all physical stores of a system store as one, PROV_SYSTEM_REGISTRY the machine's own alone.
Result<OpenedStore> OpenStore(const char* provider, const wchar_t* name, DWORD flags) {
  OpenedStore out(CertOpenStore(provider, 0, 0, CERT_SYSTEM_STORE_LOCAL_MACHINE | flags, name));
  if (out) return out;
  return WindowsFailure("cannot open the certificate store", GetLastError(), Where(name));
}

Result<Context> Decode(std::string_view der, const wchar_t* store) {
  Context out(CertCreateCertificateContext(kEncoding, reinterpret_cast<const BYTE*>(der.data()),
                                           static_cast<DWORD>(der.size())));
  if (out) return out;
  return Fail(Code::kCert, fmt::format("Windows can't read the certificate (0x{:08x})", GetLastError()), Where(store));
}

// The same bytes in `store`; empty: not there. Windows finds by issuer and serial number, which two certificates may
// share.
Context Find(HCERTSTORE store, PCCERT_CONTEXT wanted, std::string_view der) {
  Context found;
  do {
    found = Context(CertFindCertificateInStore(store, kEncoding, 0, CERT_FIND_SUBJECT_CERT, wanted->pCertInfo,
                                               found.Release()));  // frees the one it starts from
  } while (found && std::string_view(reinterpret_cast<const char*>(found.get()->pbCertEncoded),
                                     found.get()->cbCertEncoded) != der);
  return found;
}

// A context that outlives its store keeps the store from being written, hence the order of the objects here and below.
// Opened anew each time: the answer is what is there now.
Result<bool> StoreContains(const wchar_t* name, std::string_view der) {
  const OpenedStore store = PROV_TRY(OpenStore(CERT_STORE_PROV_SYSTEM_W, name, CERT_STORE_READONLY_FLAG));
  const Context wanted = PROV_TRY(Decode(der, name));
  return static_cast<bool>(Find(store.get(), wanted.get(), der));
}

DWORD AddTo(HCERTSTORE store, PCCERT_CONTEXT wanted, DWORD disposition) {
  return CertAddCertificateContextToStore(store, wanted, disposition, nullptr) != 0 ? ERROR_SUCCESS : GetLastError();
}

Result<void> Write(HCERTSTORE store, const wchar_t* name) {
  if (CertControlStore(store, 0, CERT_STORE_CTRL_COMMIT, nullptr) != 0) return {};
  return WindowsFailure("cannot write the certificate store", GetLastError(), Where(name));
}

}  // namespace

Result<bool> LiveCertificateStore::Contains(Store store, std::string_view der) {
  return StoreContains(SystemStoreName(store), der);
}

Result<bool> LiveCertificateStore::IsDisallowed(std::string_view der) { return StoreContains(L"Disallowed", der); }

Result<void> LiveCertificateStore::Add(Store store, std::string_view der) {
  const wchar_t* name = SystemStoreName(store);
  const OpenedStore opened = PROV_TRY(OpenStore(CERT_STORE_PROV_SYSTEM_W, name, 0));
  const Context wanted = PROV_TRY(Decode(der, name));
  if (Find(opened.get(), wanted.get(), der)) return {};
  DWORD error = AddTo(opened.get(), wanted.get(), CERT_STORE_ADD_NEW);
  if (error == static_cast<DWORD>(CRYPT_E_EXISTS)) {
    // Not this one, as was seen above, but one with its issuer and serial number; both are wanted.
    error = AddTo(opened.get(), wanted.get(), CERT_STORE_ADD_ALWAYS);
  }
  if (error != ERROR_SUCCESS) return WindowsFailure("cannot add a certificate", error, Where(name));
  return Write(opened.get(), name);
}

Result<void> LiveCertificateStore::Remove(Store store, std::string_view der) {
  const wchar_t* name = SystemStoreName(store);
  const OpenedStore opened = PROV_TRY(OpenStore(CERT_STORE_PROV_SYSTEM_REGISTRY_W, name, 0));
  const Context wanted = PROV_TRY(Decode(der, name));
  Context found = Find(opened.get(), wanted.get(), der);
  if (!found) return {};
  if (CertDeleteCertificateFromStore(found.Release()) == 0) {  // frees it, also when it fails
    return WindowsFailure("cannot remove a certificate", GetLastError(), Where(name));
  }
  return Write(opened.get(), name);
}

}  // namespace prov::machine
