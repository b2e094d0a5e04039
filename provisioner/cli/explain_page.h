// The page that `explain --html` writes: destinations and clients as a matrix, the reason for each decision, the list
// of NO_PROXY, and the findings. It loads nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/finding.h"

namespace prov::cli {

// What one client does with one destination. The texts may hold anything except secrets.
struct PageCell {
  std::string_view word;   // "proxy", "direct", "invalid"; behind routers also "refused", "depends", "unknown"
  bool differs = false;    // the route differs from that of Go, whose reading the cluster follows
  std::string entry = {};  // the entry of NO_PROXY that decides, if any
  std::string proxy = {};  // "" if the client uses none
  std::string note = {};   // the reason
  std::string end = {};    // in a few words: "the proxy answers 407"; behind routers "seen as 192.0.2.1", "line 3"
  std::string way = {};    // the same in a sentence

  bool operator==(const PageCell&) const = default;
};

struct PageRow {
  std::string shown;            // the destination
  std::string fault = {};       // why the destination is invalid; it has no cells then
  std::vector<PageCell> cells;  // one for each client
};

struct PageEntry {
  std::string text;
  std::string_view kind;         // the kind that Go reads it as
  std::string reason = {};       // why it matches nothing, if so
  bool is_added = false;         // added by --augment
  std::size_t destinations = 0;  // number of destinations that it makes some client reach directly
};

struct PageRequirement {
  std::string shown;
  std::string wanted;                                           // "through the proxy, seen as 192.0.2.1"
  std::vector<std::pair<std::string, std::string>> objections;  // clients, reason; empty: the requirement is met
};

struct ExplainPage {
  std::string source;                                                  // the source of the settings
  std::vector<std::pair<std::string_view, std::string>> settings;      // name of the variable, proxy
  std::vector<std::pair<std::string_view, std::string_view>> clients;  // name, title
  std::vector<PageRow> rows;
  std::vector<PageRequirement> required;
  std::vector<PageEntry> entries;
  std::size_t entries_left_out = 0;  // entries of a long list that are not shown
  Findings findings;
};

// The page, in UTF-8: the same page gives the same bytes.
std::string RenderExplainPage(const ExplainPage& page);

// Whether the file begins as such a page does.
bool IsExplainPage(std::string_view bytes);

}  // namespace prov::cli
