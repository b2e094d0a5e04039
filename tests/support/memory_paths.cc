#include "tests/support/memory_paths.h"

#include <utility>

namespace prov::testing_support {
namespace {

using machine::FollowedStep;

class OpenedEntry final : public machine::OpenedPath {
 public:
  OpenedEntry(std::shared_ptr<MemoryPaths::Entry> entry, const MemoryPaths& paths)
      : entry_(std::move(entry)), paths_(paths) {}

  Result<void> Check(const FollowedStep& step) override {
    PathFacts facts = entry_->facts;
    if (step.shares == Shares::kSigned) facts.on_share = false;
    Result<void> out = CheckPathSecurity(facts, step.use, step.path);
    if (paths_.after_checking) paths_.after_checking(step.path);
    return out;
  }
  Result<std::string> Read(std::uint64_t limit) override {
    if (entry_->facts.folder) return Fail(Code::kIo, "is a folder");
    if (entry_->bytes.size() > limit) return Fail(Code::kTooLarge, "is too large");
    return entry_->bytes;
  }

 private:
  std::shared_ptr<MemoryPaths::Entry> entry_;
  const MemoryPaths& paths_;
};

}  // namespace

MemoryPaths::MemoryPaths() {
  constexpr std::string_view kInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";
  PutFolder(R"(C:\)", "D:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;OICI;0x1200a9;;;BU)(A;OICIIO;SDGXGWGR;;;AU)(A;;LC;;;AU)",
            kInstaller);
  PutFolder(R"(C:\ProgramData)",
            "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICIIO;GA;;;CO)(A;OICI;0x1200a9;;;BU)(A;CI;DCLCRPCR;;;BU)",
            "S-1-5-18");
}

void MemoryPaths::PutFolder(const std::string& path, std::string_view dacl, std::string_view owner) {
  entries_[path] = std::make_shared<Entry>(
      Entry{{.reparse_point = false, .owner = std::string(owner), .dacl = std::string(dacl), .folder = true}, {}});
}

void MemoryPaths::PutFile(const std::string& path, std::string bytes, std::string_view dacl, std::string_view owner) {
  entries_[path] = std::make_shared<Entry>(
      Entry{{.reparse_point = false, .owner = std::string(owner), .dacl = std::string(dacl), .folder = false},
            std::move(bytes)});
}

Result<std::unique_ptr<machine::OpenedPath>> MemoryPaths::Open(const FollowedStep& step, bool /*last*/) {
  opened.push_back(step.path);
  const auto found = entries_.find(step.path);
  if (found == entries_.end()) return Fail(Code::kNotFound, "is not there", step.path);
  return std::make_unique<OpenedEntry>(found->second, *this);
}

}  // namespace prov::testing_support
