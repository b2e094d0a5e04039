// Answer files: whatever the bytes are, they are refused, or a command goes in without touching anything else, goes in
// only once, and comes out again without a trace. What a record that doesn't belong to the file takes out leaves an
// answer file, too.
#include <algorithm>
#include <array>

#include "provisioner/unattend/answer_file.h"
#include "provisioner/unattend/xml_text.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using unattend::AnswerFileCommand;

constexpr std::string_view kWhere = "f";
constexpr std::array<std::string_view, 4> kRecords = {"1 settings amd64 reopened padded", "1 component x86 open padded",
                                                      "1 list amd64 reopened bare", "1 item x86 open bare"};

AnswerFileCommand Command() {
  AnswerFileCommand command;
  command.description = "d <&>";
  command.command_line = "a  b";
  return command;
}

void CheckRefusal(const Error& error) {
  CheckError(error);
  FUZZ_CHECK(error.code == Code::kXml);
  FUZZ_CHECK(error.where.starts_with("f: line "));
}

// Something was put between the two halves of the text, or between those of it and the end of an empty-element tag.
void CheckSplice(std::string_view file, std::string_view edited) {
  const auto before = unattend::DecodeXml(file, kWhere);
  const auto after = unattend::DecodeXml(edited, kWhere);
  FUZZ_CHECK(before && after && before->encoding == after->encoding);
  const std::string_view a = before->text;
  const std::string_view b = after->text;
  const auto start = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  std::size_t end = 0;
  while (end < a.size() - start && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  const std::string_view lost = a.substr(start, a.size() - start - end);
  FUZZ_CHECK(lost.empty() || lost == "/");
}

void CheckAdding(std::string_view file, const AnswerFileCommand& command) {
  const auto added = unattend::AddCommand(file, command, kWhere);
  if (!added) return CheckRefusal(added.error());
  FUZZ_CHECK(added->changed == (added->bytes != file));
  FUZZ_CHECK(added->changed != added->record.empty());
  if (added->architectures.size() == 1) CheckSplice(file, added->bytes);
  const auto again = unattend::AddCommand(added->bytes, command, kWhere);
  FUZZ_CHECK(again && !again->changed && again->bytes == added->bytes && again->record.empty());
  const auto removed = unattend::RemoveCommand(added->bytes, command, added->record, kWhere);
  FUZZ_CHECK(removed && removed->changed == added->changed && removed->bytes == file);
}

void CheckRemoving(std::string_view file, const AnswerFileCommand& command) {
  for (const std::string_view record : kRecords) {
    const auto removed = unattend::RemoveCommand(file, command, record, kWhere);
    if (!removed) {
      CheckRefusal(removed.error());
      continue;
    }
    FUZZ_CHECK(removed->changed == (removed->bytes != file));
    FUZZ_CHECK(removed->bytes.size() <= file.size());
    if (!removed->changed) continue;
    const auto readable = unattend::RemoveCommand(removed->bytes, command, record, kWhere);
    FUZZ_CHECK(readable.has_value());
  }
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  CheckAdding(TextOf(data, size), Command());
  CheckRemoving(TextOf(data, size), Command());
  return 0;
}
