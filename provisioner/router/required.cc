#include "provisioner/router/required.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/router/destination_list.h"

namespace prov::router {
namespace {

using egress::ClientDecision;
using egress::Route;

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> out;
  constexpr std::string_view kBlanks = " \t\r";
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return out;
}

Result<Requirement> Parse(const std::vector<std::string_view>& words, const std::string& place) {
  Requirement out;
  out.to = PROV_TRY(ParseListed(words.front(), place));
  out.shown = egress::RedactRequest(words.front());
  std::size_t next = 1;
  if (next < words.size() && (words[next] == "proxy" || words[next] == "direct"))
    out.route = words[next++] == "proxy" ? Route::kProxy : Route::kDirect;
  if (next < words.size()) {
    out.source = IpAddress::Parse(words[next]);
    if (out.source) ++next;
  }
  if (next == words.size()) return out;
  return Fail(Code::kRow,
              fmt::format("\"{}\" is neither proxy nor direct nor the address that the outside must see; write URL "
                          "[proxy|direct] [source-IP]",
                          Shorten(egress::RedactRequest(words[next]))),
              place);
}

std::string_view WordOf(Route route) { return route == Route::kProxy ? "through the proxy" : "direct"; }

// The route, and the entry of NO_PROXY that decides.
std::string DescribeDecision(const ClientDecision& decision) {
  std::string out = fmt::format("goes {}", WordOf(decision.route));
  if (!decision.entry.empty()) out += fmt::format(" by {} of NO_PROXY", decision.entry);
  if (decision.why == ClientDecision::Why::kUnset) out += ", as no proxy is set for it";
  if (decision.why == ClientDecision::Why::kNotCarried) out += ", as its settings can't hold the proxy";
  return out;
}

// Why the routers do not pass the request; "" if they do.
std::string ObjectionOf(const RequestPath& way) {
  if (way.end == RequestPath::End::kUnknown) return way.note;
  if (way.end != RequestPath::End::kRouter || way.Passes()) return {};
  const std::string verdict = way.verdict == Verdict::kDepends ? "is not certain" : "is refused";
  return way.note.empty() ? verdict : fmt::format("{}: {}", verdict, way.note);
}

}  // namespace

Result<std::vector<Requirement>> ReadRequirements(std::string bytes, const std::string& where) {
  std::vector<Requirement> out;
  for (const ListedDestination& line : PROV_TRY(ReadDestinationList(std::move(bytes), where))) {
    out.push_back(PROV_TRY(Parse(WordsOf(line.text), line.place)));
    out.back().line = line.number;
  }
  if (out.empty())
    return Fail(Code::kRow,
                "names no destination, so it requires nothing; write a line URL [proxy|direct] [source-IP] for each",
                where);
  return out;
}

std::string Objection(const Requirement& requirement, const ClientDecision& decision, const RequestPath* way) {
  if (decision.route == Route::kInvalid) return "the client can't use its proxy as it is meant";
  if (requirement.route && *requirement.route != decision.route)
    return fmt::format("{}, and must go {}", DescribeDecision(decision), WordOf(*requirement.route));
  if (way == nullptr) return {};
  if (std::string objection = ObjectionOf(*way); !objection.empty()) return objection;
  if (!requirement.source || way->source == requirement.source->ToString()) return {};
  std::string left = way->source;
  if (left.empty()) {
    const bool direct = way->end == RequestPath::End::kDirect;
    left = direct ? "the address of its node, which is not known here" : "an address that no file gives";
  }
  return fmt::format("leaves with {}, and must leave with {}", left, requirement.source->ToString());
}

}  // namespace prov::router
