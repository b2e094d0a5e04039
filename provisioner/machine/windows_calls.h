// What all live adapters use. Only *_win32.cc may include it, because it includes windows.h.
#pragma once

#include "provisioner/base/windows_api.h"
// clang-format off: these need the one above
#include <shlobj.h>
#include <wincrypt.h>
#include <winternl.h>
// clang-format on

namespace prov::machine {

using FileHandle = win32::Handle;
using win32::LocalMemory;
using win32::Narrow;
using win32::Owned;
using win32::SecurityAttributes;
using win32::Wide;

inline void CloseCertificateStore(HCERTSTORE store) { CertCloseStore(store, 0); }
using OpenedStore = Owned<HCERTSTORE, &CloseCertificateStore>;

// Other programs may read, write and remove the file meanwhile.
inline constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

}  // namespace prov::machine
