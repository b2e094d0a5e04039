// Stands in for computenetwork.dll and vmcompute.dll where there is no Host Networking Service (built under both
// names). It keeps its endpoints as files, shares no code with provisioner, and treats JSON as text: what it is not
// told to change stays byte for byte. Without %HNS_DOUBLE% it answers as a service that does not run.
//
// %HNS_DOUBLE%\endpoints\GUID.json     properties of an endpoint, with a member "Policies"
// %HNS_DOUBLE%\namespaces\GUID.json    properties of a namespace
// %HNS_DOUBLE%\version.json            what GET /globals/version answers
// %HNS_DOUBLE%\calls.log               a line for each call: its name, a tab, its document or GUID
// %HNS_DOUBLE%\fail-CALL               the call fails: a line with the HRESULT in hexadecimal, then the error record
// clang-format off: the others take words from the first
#include <windows.h>
#include <objbase.h>
// clang-format on

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr HRESULT Code(unsigned long number) { return static_cast<HRESULT>(number); }
constexpr HRESULT kNoAnswer = Code(0x800706BAUL);
constexpr HRESULT kEndpointMissing = Code(0x803B0002UL);
constexpr HRESULT kPolicyMissing = Code(0x803B0008UL);
constexpr HRESULT kInvalidPolicy = Code(0x803B000DUL);

int open_handles = 0;

fs::path Folder() {
  wchar_t value[MAX_PATH] = {};
  GetEnvironmentVariableW(L"HNS_DOUBLE", value, MAX_PATH);
  return value;
}

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void Write(const fs::path& path, const std::string& text) {
  const fs::path fresh = path.wstring() + L".new";
  std::ofstream(fresh, std::ios::binary) << text;
  MoveFileExW(fresh.c_str(), path.c_str(), MOVEFILE_REPLACE_EXISTING);
}

std::string Narrow(const wchar_t* text) {
  if (text == nullptr) return "(null)";
  const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<std::size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text, -1, out.data(), size, nullptr, nullptr);
  out.pop_back();  // the terminator
  return out;
}

// As Windows hands out texts: whoever asked frees them.
void Give(PWSTR* to, const std::string& text) {
  if (to == nullptr) return;
  const int size = MultiByteToWideChar(CP_UTF8, 0, text.c_str(), -1, nullptr, 0);
  *to = static_cast<PWSTR>(CoTaskMemAlloc(static_cast<std::size_t>(size) * sizeof(wchar_t)));
  MultiByteToWideChar(CP_UTF8, 0, text.c_str(), -1, *to, size);
}

HRESULT Refuse(PWSTR* record, HRESULT status, const std::string& words) {
  std::ostringstream out;
  out << R"({"Success":false,"Error":")" << words << R"( ","ErrorCode":)" << static_cast<unsigned long>(status) << '}';
  Give(record, out.str());
  return status;
}

// One call, logged when it begins.
class Call {
 public:
  Call(const std::string& name, const std::string& document) : name_(name) {
    if (Folder().empty()) return;
    std::ofstream(Folder() / "calls.log", std::ios::binary | std::ios::app) << name << '\t' << document << '\n';
  }

  bool Fails(PWSTR* record, HRESULT& status) const {
    if (Folder().empty()) {
      status = kNoAnswer;
      return true;
    }
    const fs::path file = Folder() / ("fail-" + name_);
    if (!fs::exists(file)) return false;
    const std::string text = Read(file);
    const std::size_t line = std::min(text.find('\n'), text.size());
    status = Code(std::strtoul(text.substr(0, line).c_str(), nullptr, 16));
    if (line + 1 < text.size()) Give(record, text.substr(line + 1));
    return true;
  }

 private:
  std::string name_;
};

// The GUID that a query's filter asks for; "" for all.
std::string FilteredId(const std::string& query) {
  constexpr char kMark[] = R"(ID\":\")";
  const std::size_t at = query.find(kMark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + std::strlen(kMark);
  return query.substr(begin, query.find('\\', begin) - begin);
}

std::string List(const char* folder, const std::string& query) {
  const std::string wanted = FilteredId(query);
  std::vector<std::string> ids;
  for (const auto& entry : fs::directory_iterator(Folder() / folder)) {
    const std::string id = entry.path().stem().string();
    if (wanted.empty() || _stricmp(wanted.c_str(), id.c_str()) == 0) ids.push_back(id);
  }
  std::ranges::sort(ids);
  std::string out;
  for (const std::string& id : ids) out += (out.empty() ? "\"" : ",\"") + id + '"';
  return '[' + out + ']';
}

std::string TextOf(const GUID& guid) {
  wchar_t text[64] = {};
  StringFromGUID2(guid, text, 64);
  return Narrow(text);
}

// {93F8…} to the file of that object; empty where there is none.
fs::path FileOf(const char* folder, const std::string& guid) {
  const fs::path file = Folder() / folder / (guid.substr(1, guid.size() - 2) + ".json");
  return fs::exists(file) ? file : fs::path();  // Windows' names have no case
}

struct Opened {
  fs::path file;
};

HRESULT Enumerate(Call& call, const char* kind, PCWSTR query, PWSTR* found, PWSTR* record) {
  HRESULT status = S_OK;
  if (!call.Fails(record, status)) Give(found, List(kind, Narrow(query)));
  return status;
}

HRESULT Open(Call& call, const char* folder, const std::string& guid, void** handle, PWSTR* record) {
  HRESULT status = S_OK;
  if (call.Fails(record, status)) return status;
  const fs::path file = FileOf(folder, guid);
  if (file.empty()) return Refuse(record, kEndpointMissing, "The object was not found.");
  *handle = new Opened{file};
  ++open_handles;
  return S_OK;
}

HRESULT Query(Call& call, void* handle, PWSTR* properties, PWSTR* record) {
  HRESULT status = S_OK;
  if (call.Fails(record, status)) return status;
  const auto* opened = static_cast<const Opened*>(handle);
  if (!fs::exists(opened->file)) return Refuse(record, kEndpointMissing, "The object was not found.");
  Give(properties, Read(opened->file));
  return S_OK;
}

HRESULT Close(void* handle) {
  delete static_cast<Opened*>(handle);
  --open_handles;
  return S_OK;
}

// Where the list of the member "Policies" begins, behind its bracket, and where it ends; npos, where it has none.
struct Span {
  std::size_t begin = std::string::npos;
  std::size_t end = std::string::npos;
};

// The end of the value that begins at `at`: behind its last character.
std::size_t EndOfValue(const std::string& text, std::size_t at) {
  int depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;
      --depth;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return at;
}

Span Policies(const std::string& text) {
  const std::size_t name = text.find("\"Policies\"");
  if (name == std::string::npos) return {};
  const std::size_t begin = text.find('[', name);
  if (begin == std::string::npos) return {};
  return {begin + 1, EndOfValue(text, begin) - 1};
}

std::vector<std::string> Items(const std::string& text, const Span& span) {
  std::vector<std::string> out;
  for (std::size_t at = span.begin; at < span.end;) {
    const std::size_t end = EndOfValue(text, at);
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Without blanks between words.
std::string Compact(const std::string& text) {
  std::string out;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!quoted && std::strchr(" \t\r\n", c) != nullptr) continue;
    out += c;
    if (quoted && c == '\\') out += text[++at];
    if (c == '"') quoted = !quoted;
  }
  return out;
}

HRESULT Change(const fs::path& file, const std::string& request, const std::string& kind, PWSTR* record) {
  std::string text = Read(file);
  const Span asked = Policies(request);
  const Span there = Policies(text);
  const std::vector<std::string> wanted =
      asked.begin == std::string::npos ? std::vector<std::string>() : Items(request, asked);
  if (wanted.empty() || there.begin == std::string::npos) {
    return Refuse(record, kInvalidPolicy, "The provided policy configuration is invalid or missing parameters.");
  }
  std::vector<std::string> policies = Items(text, there);
  for (const std::string& policy : wanted) {
    const auto old = std::ranges::find(policies, Compact(policy), Compact);
    if (kind == "Add") {
      policies.push_back(policy);
    } else if (old == policies.end()) {
      return Refuse(record, kPolicyMissing, "The policy was not found.");
    } else {
      policies.erase(old);
    }
  }
  std::string joined;
  for (const std::string& policy : policies) joined += (joined.empty() ? "" : ",") + policy;
  Write(file, text.replace(there.begin, there.end - there.begin, joined));
  return S_OK;
}

}  // namespace

#define HNS_DOUBLE_EXPORT extern "C" __declspec(dllexport)

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnEnumerateEndpoints(PCWSTR query, PWSTR* endpoints, PWSTR* record) {
  Call call("HcnEnumerateEndpoints", Narrow(query));
  return Enumerate(call, "endpoints", query, endpoints, record);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnOpenEndpoint(REFGUID id, void** endpoint, PWSTR* record) {
  Call call("HcnOpenEndpoint", TextOf(id));
  return Open(call, "endpoints", TextOf(id), endpoint, record);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnQueryEndpointProperties(void* endpoint, PCWSTR query, PWSTR* properties,
                                                            PWSTR* record) {
  Call call("HcnQueryEndpointProperties", Narrow(query));
  return Query(call, endpoint, properties, record);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnModifyEndpoint(void* endpoint, PCWSTR settings, PWSTR* record) {
  const std::string request = Narrow(settings);
  const std::string kind = request.find(R"("RequestType":"Add")") != std::string::npos ? "Add" : "Remove";
  Call call("HcnModifyEndpoint", request);
  HRESULT status = S_OK;
  if (call.Fails(record, status)) return status;
  return Change(static_cast<const Opened*>(endpoint)->file, request, kind, record);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnCloseEndpoint(void* endpoint) {
  Call call("HcnCloseEndpoint", "");
  return Close(endpoint);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnEnumerateNamespaces(PCWSTR query, PWSTR* namespaces, PWSTR* record) {
  Call call("HcnEnumerateNamespaces", Narrow(query));
  return Enumerate(call, "namespaces", query, namespaces, record);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnOpenNamespace(REFGUID id, void** name_space, PWSTR* record) {
  Call call("HcnOpenNamespace", TextOf(id));
  return Open(call, "namespaces", TextOf(id), name_space, record);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnQueryNamespaceProperties(void* name_space, PCWSTR query, PWSTR* properties,
                                                             PWSTR* record) {
  Call call("HcnQueryNamespaceProperties", Narrow(query));
  return Query(call, name_space, properties, record);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HcnCloseNamespace(void* name_space) {
  Call call("HcnCloseNamespace", "");
  return Close(name_space);
}

HNS_DOUBLE_EXPORT HRESULT WINAPI HNSCall(PCWSTR method, PCWSTR path, PCWSTR /*object*/, PWSTR* response) {
  Call call("HNSCall", Narrow(method) + " " + Narrow(path));
  HRESULT status = S_OK;
  if (call.Fails(response, status)) return status;
  Give(response, Read(Folder() / "version.json"));
  return S_OK;
}

// A handle that nobody closed is a fault of the program.
BOOL WINAPI DllMain(HINSTANCE /*library*/, DWORD reason, void* /*reserved*/) {
  if (reason == DLL_PROCESS_DETACH && open_handles != 0 && !Folder().empty()) {
    std::ofstream(Folder() / "calls.log", std::ios::binary | std::ios::app) << "LEAK\t" << open_handles << '\n';
  }
  return TRUE;
}
