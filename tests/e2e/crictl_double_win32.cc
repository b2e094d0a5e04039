// Stands in for crictl where there are no containers: prints %HNS_DOUBLE%\crictl.json when it is asked to inspect the
// container of %HNS_DOUBLE%\crictl-id or one whose ID that word begins, refuses others, and keeps its words in
// %HNS_DOUBLE%\crictl.log.
#include <windows.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  wchar_t value[MAX_PATH] = {};
  GetEnvironmentVariableW(L"HNS_DOUBLE", value, MAX_PATH);
  const fs::path folder = value;
  std::string words;
  for (int i = 1; i < argc; ++i) words += (i == 1 ? "" : " ") + std::string(argv[i]);
  std::ofstream(folder / "crictl.log", std::ios::app) << words << '\n';
  const std::string id = argc > 1 ? argv[argc - 1] : "";
  if (id.empty() || Read(folder / "crictl-id").find(id) != 0) {
    std::fprintf(stderr, "level=fatal msg=\"getting the status of the container \\\"%s\\\": not found\"\n", id.c_str());
    return 1;
  }
  const std::string text = Read(folder / "crictl.json");
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}
