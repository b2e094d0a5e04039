#include "provisioner/node/approval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"

namespace prov::node {
namespace {

constexpr std::size_t kMostReason = 500;

using Named = std::pair<ApprovedResult, std::string_view>;
constexpr std::array<Named, 4> kResults = {{{ApprovedResult::kRunning, "running"},
                                            {ApprovedResult::kConfirmed, "confirmed"},
                                            {ApprovedResult::kTakenBack, "rolledBack"},
                                            {ApprovedResult::kUndecided, "undecided"}}};

Result<ApprovedTrial> ReadTrial(const JsonNode& node) {
  ApprovedTrial out;
  out.digest = PROV_TRY(node.Get("digest", &JsonNode::Text));
  out.attempt = PROV_TRY(node.Get("attempt", &JsonNode::Integer));
  out.result = PROV_TRY(node.Get("result", ReadApprovedResult));
  out.reason = PROV_TRY(node.Find("reason", &JsonNode::Text)).value_or("");
  out.is_second = PROV_TRY(node.Find("second", &JsonNode::Bool)).value_or(false);
  out.by_person = PROV_TRY(node.Find("byPerson", &JsonNode::Bool)).value_or(false);
  out.is_settled = PROV_TRY(node.Find("settled", &JsonNode::Bool)).value_or(false);
  return out;
}

}  // namespace

std::string_view NameOf(ApprovedResult result) { return std::ranges::find(kResults, result, &Named::first)->second; }

Result<ApprovedResult> ReadApprovedResult(const JsonNode& node) {
  const auto* const known = std::ranges::find(kResults, PROV_TRY(node.Text()), &Named::second);
  if (known == kResults.end()) return node.Refuse(Code::kType, "is a result that this program does not know");
  return known->first;
}

bool ApprovalRecord::WasTakenBack(std::string_view digest) const {
  return trial && trial->digest == digest && trial->result == ApprovedResult::kTakenBack;
}

bool ApprovalRecord::MayTry(const Approval& approval, std::string_view digest) const {
  if (approval.digest != digest) return false;
  return !WasTakenBack(digest) || (!trial->by_person && approval.attempt > trial->attempt);
}

void ApprovalRecord::End(TrialEnd how) {
  if (!trial || trial->result != ApprovedResult::kRunning) return;
  switch (how) {
    case TrialEnd::kConfirmed:
      trial->result = ApprovedResult::kConfirmed;
      if (pending == trial->digest) pending.reset();
      return;
    case TrialEnd::kByPerson:
      trial->result = ApprovedResult::kTakenBack;
      trial->reason = "a person took them back";
      trial->by_person = true;
      return;
    case TrialEnd::kCutShort:
      const bool is_last = pending == trial->digest && trial->is_second;
      trial->result = is_last ? ApprovedResult::kTakenBack : ApprovedResult::kUndecided;
      trial->reason = fmt::format(
          "the trial was cut short{}: the program or the node stopped before its end, or "
          "another command ended it",
          is_last ? " twice" : "");
      return;
  }
}

void ApprovalRecord::SetPending(std::optional<std::string> digest) {
  if (pending == digest) return;
  pending = std::move(digest);
  if (trial) trial->by_person = false;
}

Result<std::optional<ApprovalRecord>> LoadApproval(machine::StateRecord& state) {
  const auto section = PROV_TRY(state.Read(kApprovalSection));
  if (!section) return std::nullopt;
  return ApprovalRecord{PROV_TRY(section->Find("pending", &JsonNode::Text)),
                        PROV_TRY(section->Find("trial", ReadTrial))};
}

std::string ApprovalJson(const ApprovalRecord& record) {
  JsonWriter json;
  json.BeginObject().Member("pending", record.pending).Key("trial");
  if (record.trial) {
    json.BeginObject().Member("digest", record.trial->digest).Member("attempt", record.trial->attempt);
    json.Member("result", NameOf(record.trial->result));
    if (!record.trial->reason.empty()) json.Member("reason", Shorten(record.trial->reason, kMostReason));
    if (record.trial->is_second) json.Member("second", true);
    if (record.trial->by_person) json.Member("byPerson", true);
    if (record.trial->is_settled) json.Member("settled", true);
    json.EndObject();
  } else {
    json.Null();
  }
  return json.EndObject().Text();
}

Result<void> AddEnd(machine::StateRecord& state, TrialEnd how, machine::Sections& sections) {
  auto record = PROV_TRY(LoadApproval(state));
  if (!record || !record->trial || record->trial->result != ApprovedResult::kRunning) return {};
  record->End(how);
  sections[std::string(kApprovalSection)] = ApprovalJson(*record);
  return {};
}

}  // namespace prov::node
