// A second program for the end-to-end tests: it looks at Windows through its own interface and shares no code with
// provisioner. Prints JSON lines, or does one thing and says what came of it.

//   windows_probe state                what is set: variables, service environments, WinHTTP, certificates by
//   thumbprint windows_probe add STORE FILE.der   puts a certificate into ROOT or CA, as an administrator would
//   windows_probe get URL              GET with the machine's WinHTTP settings; prints the status or the error's number
//   windows_probe service NAME         makes an auto-start service key with some values of its own
//   windows_probe set NAME VALUE       a machine variable; with VALUE missing: removes it
//   windows_probe query NAME           whether a service is there and runs
// clang-format off: the others take words from the first
#include <windows.h>
#include <wincrypt.h>
#include <winhttp.h>
// clang-format on

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr wchar_t kEnvironment[] = L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment";
constexpr wchar_t kServices[] = L"SYSTEM\\CurrentControlSet\\Services";

std::string Utf8(const std::wstring& text) {
  std::string out(static_cast<std::size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()),
                                                               nullptr, 0, nullptr, nullptr)),
                  '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), out.data(), static_cast<int>(out.size()),
                      nullptr, nullptr);
  return out;
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(c));
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + '"';
}

struct Value {
  DWORD type = 0;
  std::wstring text;
};

bool Read(const wchar_t* key, const wchar_t* name, Value& out) {
  HKEY handle = nullptr;
  if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, key, 0, KEY_READ | KEY_WOW64_64KEY, &handle) != ERROR_SUCCESS) return false;
  std::vector<wchar_t> buffer(1U << 16U);
  DWORD bytes = static_cast<DWORD>(buffer.size() * sizeof(wchar_t));
  const LSTATUS status =
      RegQueryValueExW(handle, name, nullptr, &out.type, reinterpret_cast<BYTE*>(buffer.data()), &bytes);
  RegCloseKey(handle);
  if (status != ERROR_SUCCESS) return false;
  out.text.assign(buffer.data(), bytes / sizeof(wchar_t));
  return true;
}

void PrintValue(const char* kind, const wchar_t* key, const wchar_t* name, const std::string& label) {
  Value value;
  if (!Read(key, name, value)) return;
  while (!value.text.empty() && value.text.back() == L'\0') value.text.pop_back();
  std::printf("{\"kind\":\"%s\",\"name\":%s,\"type\":%lu,\"value\":%s}\n", kind, Quoted(label).c_str(), value.type,
              Quoted(Utf8(value.text)).c_str());
}

// A service that is added or removed meanwhile moves the others to other numbers, and one would be missed: it begins
// again.
bool ListServices(std::vector<std::wstring>& names) {
  HKEY services = nullptr;
  if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, kServices, 0, KEY_READ, &services) != ERROR_SUCCESS) return false;
  FILETIME before{}, after{};
  LSTATUS status = ERROR_SUCCESS;
  do {
    names.clear();
    RegQueryInfoKeyW(services, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                     &before);
    for (DWORD i = 0;; ++i) {
      wchar_t name[256];
      DWORD length = 256;
      status = RegEnumKeyExW(services, i, name, &length, nullptr, nullptr, nullptr, nullptr);
      if (status != ERROR_SUCCESS) break;
      names.emplace_back(name, length);
    }
    RegQueryInfoKeyW(services, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                     &after);
  } while (CompareFileTime(&before, &after) != 0);
  RegCloseKey(services);
  return status == ERROR_NO_MORE_ITEMS;
}

bool PrintServices() {
  std::vector<std::wstring> names;
  if (!ListServices(names)) return false;
  for (const std::wstring& name : names) {
    PrintValue("serviceEnv", (std::wstring(kServices) + L"\\" + name).c_str(), L"Environment", Utf8(name));
  }
  return true;
}

void PrintWinHttp() {
  WINHTTP_PROXY_INFO info{};
  if (WinHttpGetDefaultProxyConfiguration(&info) == 0) return;
  std::printf("{\"kind\":\"winHttp\",\"name\":\"default\",\"type\":%lu,\"value\":%s,\"bypass\":%s}\n",
              info.dwAccessType, Quoted(info.lpszProxy != nullptr ? Utf8(info.lpszProxy) : "").c_str(),
              Quoted(info.lpszProxyBypass != nullptr ? Utf8(info.lpszProxyBypass) : "").c_str());
}

HCERTSTORE OpenStore(const wchar_t* name) {
  return CertOpenStore(CERT_STORE_PROV_SYSTEM_W, 0, 0, CERT_SYSTEM_STORE_LOCAL_MACHINE, name);
}

void PrintCertificates(const wchar_t* store) {
  HCERTSTORE opened = OpenStore(store);  // first: Wine fills ROOT when somebody opens it
  HKEY key = nullptr;
  const std::wstring path = std::wstring(L"SOFTWARE\\Microsoft\\SystemCertificates\\") + store + L"\\Certificates";
  if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, path.c_str(), 0, KEY_READ, &key) != ERROR_SUCCESS) {
    CertCloseStore(opened, 0);
    return;
  }
  wchar_t name[64];
  for (DWORD i = 0;; ++i) {
    DWORD length = 64;
    if (RegEnumKeyExW(key, i, name, &length, nullptr, nullptr, nullptr, nullptr) != ERROR_SUCCESS) break;
    BYTE hash[20];
    for (int b = 0; b < 20; ++b) hash[b] = static_cast<BYTE>(std::stoi(std::wstring(name + b * 2, 2), nullptr, 16));
    CRYPT_HASH_BLOB blob{20, hash};
    PCCERT_CONTEXT found =
        CertFindCertificateInStore(opened, X509_ASN_ENCODING, 0, CERT_FIND_SHA1_HASH, &blob, nullptr);
    std::printf("{\"kind\":\"certificate\",\"name\":%s,\"type\":%d,\"value\":%s}\n", Quoted(Utf8(store)).c_str(),
                found != nullptr ? 1 : 0, Quoted(Utf8(name)).c_str());
    if (found != nullptr) CertFreeCertificateContext(found);
  }
  CertCloseStore(opened, 0);
  RegCloseKey(key);
}

int State() {
  for (const wchar_t* name : {L"HTTP_PROXY", L"HTTPS_PROXY", L"NO_PROXY", L"FOREIGN"}) {
    PrintValue("env", kEnvironment, name, Utf8(name));
  }
  if (!PrintServices()) return 1;
  PrintWinHttp();
  for (const wchar_t* store : {L"ROOT", L"CA"}) PrintCertificates(store);
  return 0;
}

int Add(const wchar_t* store, const wchar_t* file) {
  std::ifstream in(Utf8(file), std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  HCERTSTORE opened = OpenStore(store);
  const BOOL added =
      CertAddEncodedCertificateToStore(opened, X509_ASN_ENCODING, reinterpret_cast<const BYTE*>(bytes.data()),
                                       static_cast<DWORD>(bytes.size()), CERT_STORE_ADD_NEW, nullptr);
  const DWORD error = GetLastError();
  CertCloseStore(opened, 0);
  if (added == 0) std::printf("error %lu\n", error);
  return added != 0 ? 0 : 1;
}

int Get(const wchar_t* url) {
  URL_COMPONENTS parts{};
  wchar_t host[256], path[1024];
  parts.dwStructSize = sizeof parts;
  parts.lpszHostName = host;
  parts.dwHostNameLength = 256;
  parts.lpszUrlPath = path;
  parts.dwUrlPathLength = 1024;
  if (WinHttpCrackUrl(url, 0, 0, &parts) == 0) return 1;
  HINTERNET session = WinHttpOpen(L"probe", WINHTTP_ACCESS_TYPE_DEFAULT_PROXY, nullptr, nullptr, 0);
  HINTERNET connection = WinHttpConnect(session, host, parts.nPort, 0);
  HINTERNET request = WinHttpOpenRequest(connection, L"GET", path, nullptr, nullptr, nullptr,
                                         parts.nScheme == INTERNET_SCHEME_HTTPS ? WINHTTP_FLAG_SECURE : 0);
  if (WinHttpSendRequest(request, nullptr, 0, nullptr, 0, 0, 0) == 0 || WinHttpReceiveResponse(request, nullptr) == 0) {
    std::printf("error %lu\n", GetLastError());
    return 1;
  }
  DWORD status = 0, size = sizeof status;
  WinHttpQueryHeaders(request, WINHTTP_QUERY_STATUS_CODE | WINHTTP_QUERY_FLAG_NUMBER, nullptr, &status, &size, nullptr);
  std::printf("status %lu\n", status);
  return 0;
}

int Service(const wchar_t* name) {
  const std::wstring path = std::wstring(kServices) + L"\\" + name;
  HKEY key = nullptr;
  if (RegCreateKeyExW(HKEY_LOCAL_MACHINE, path.c_str(), 0, nullptr, 0, KEY_ALL_ACCESS, nullptr, &key, nullptr) !=
      ERROR_SUCCESS) {
    return 1;
  }
  constexpr wchar_t kImage[] = L"C:\\nowhere\\service.exe";
  constexpr wchar_t kForeign[] = L"FOREIGN=1\0";
  const bool is_set = RegSetValueExW(key, L"ImagePath", 0, REG_EXPAND_SZ, reinterpret_cast<const BYTE*>(kImage),
                                     sizeof kImage) == ERROR_SUCCESS &&
                      RegSetValueExW(key, L"Environment", 0, REG_MULTI_SZ, reinterpret_cast<const BYTE*>(kForeign),
                                     sizeof kForeign) == ERROR_SUCCESS;
  RegCloseKey(key);
  return is_set ? 0 : 1;
}

int Set(const wchar_t* name, const wchar_t* value) {
  HKEY key = nullptr;
  if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, kEnvironment, 0, KEY_ALL_ACCESS, &key) != ERROR_SUCCESS) return 1;
  const LSTATUS status = value == nullptr
                             ? RegDeleteValueW(key, name)
                             : RegSetValueExW(key, name, 0, REG_EXPAND_SZ, reinterpret_cast<const BYTE*>(value),
                                              static_cast<DWORD>((std::wstring(value).size() + 1) * sizeof(wchar_t)));
  RegCloseKey(key);
  return status == ERROR_SUCCESS ? 0 : 1;
}

int Query(const wchar_t* name) {
  SC_HANDLE manager = OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT);
  SC_HANDLE service = OpenServiceW(manager, name, SERVICE_QUERY_STATUS);
  if (service == nullptr) {
    std::printf("none\n");
    return 0;
  }
  SERVICE_STATUS status{};
  QueryServiceStatus(service, &status);
  std::printf("%s\n", status.dwCurrentState == SERVICE_RUNNING ? "running" : "stopped");
  return 0;
}

}  // namespace

int wmain(int argc, wchar_t** argv) {
  const std::wstring what = argc > 1 ? argv[1] : L"";
  if (what == L"state") return State();
  if (what == L"add" && argc == 4) return Add(argv[2], argv[3]);
  if (what == L"get" && argc == 3) return Get(argv[2]);
  if (what == L"service" && argc == 3) return Service(argv[2]);
  if (what == L"set" && argc >= 3) return Set(argv[2], argc > 3 ? argv[3] : nullptr);
  if (what == L"query" && argc == 3) return Query(argv[2]);
  std::fprintf(stderr, "windows_probe: see the head of its source\n");
  return 10;
}
