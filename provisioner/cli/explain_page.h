// The page that `explain --html` writes: destinations and clients as a matrix, why each decision is as it is, the list
// of NO_PROXY, and what is worth telling of all that. It loads nothing from elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/finding.h"

namespace prov::cli {

// What one client does with one destination. Texts may hold anything but secrets.
struct PageCell {
  std::string_view word;   // "proxy", "direct", "invalid"; behind routers also "refused", "depends", "unknown"
  bool differs = false;    // from Go, which is what the cluster means
  std::string entry = {};  // of NO_PROXY, where one decides
  std::string proxy = {};  // "" where the client takes none
  std::string note = {};   // why
  std::string end = {};    // behind routers, in a few words: "seen as 192.0.2.1", "line 3"
  std::string way = {};    // the same in a sentence

  bool operator==(const PageCell&) const = default;
};

struct PageRow {
  std::string shown;            // the destination
  std::string fault = {};       // of one that can't be asked about, which has no cells
  std::vector<PageCell> cells;  // one for each client
};

struct PageEntry {
  std::string text;
  std::string_view kind;         // what Go takes it for
  std::string reason = {};       // why it matches nothing
  bool is_added = false;         // by --augment
  std::size_t destinations = 0;  // for which some client goes direct by it
};

struct PageRequirement {
  std::string shown;
  std::string wanted;                                           // "through the proxy, seen as 192.0.2.1"
  std::vector<std::pair<std::string, std::string>> objections;  // clients, why; none: it is as wanted
};

struct ExplainPage {
  std::string source;                                                  // what the settings are from
  std::vector<std::pair<std::string_view, std::string>> settings;      // the proxies by the names of their variables
  std::vector<std::pair<std::string_view, std::string_view>> clients;  // name, title
  std::vector<PageRow> rows;
  std::vector<PageRequirement> required;
  std::vector<PageEntry> entries;
  std::size_t entries_left_out = 0;  // behind those, of a long list
  Findings findings;
};

// The page, in UTF-8: the same page gives the same bytes.
std::string RenderExplainPage(const ExplainPage& page);

// Whether a file begins as such a page does.
bool IsExplainPage(std::string_view bytes);

}  // namespace prov::cli
