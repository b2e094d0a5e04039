#include "provisioner/cli/explain_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/cli/explain_page_assets.h"
#include "provisioner/cli/html_page.h"

namespace prov::cli {
namespace {

constexpr std::string_view kGenerator = "provisioner explain";

struct Word {
  std::string_view word;
  std::string_view style;  // a class of the style sheet
  std::string_view meaning;
};

constexpr std::array<Word, 6> kWords = {
    {{"proxy", "proxy", "through the proxy"},
     {"direct", "direct", "around the proxy"},
     {"invalid", "stop", "no request: the client can't use the proxy's URL, or the destination is not a URL"},
     {"refused", "stop", "a router behind the proxy stops the request"},
     {"depends", "unsure", "what a router does depends on DNS"},
     {"unknown", "unsure", "the files do not say which router the request takes"}}};

std::string_view StyleOf(std::string_view word) {
  const auto* const found = std::ranges::find(kWords, word, &Word::word);
  return found == kWords.end() ? "stop" : found->style;
}

bool Differs(const PageRow& row) { return std::ranges::any_of(row.cells, &PageCell::differs); }

std::string Introduction(const ExplainPage& page) {
  const auto differing = static_cast<std::size_t>(std::ranges::count_if(page.rows, Differs));
  std::string out = fmt::format("<h1>Egress decisions: {}</h1>\n<dl>\n", HtmlText(page.source));
  for (const auto& [name, value] : page.settings) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", HtmlText(name),
                       value.empty() ? "<span class=\"quiet\">not set</span>" : CodeElement(value));
  }
  out += fmt::format("<dt>NO_PROXY</dt><dd><a href=\"#list\">{}</a></dd>\n",
                     Counted(page.entries.size() + page.entries_left_out, "entry", "entries"));
  out += fmt::format("<dt>Findings</dt><dd><a href=\"#findings\">{}</a></dd>\n</dl>\n",
                     Counted(page.findings.size(), "finding", "findings"));
  out += fmt::format("<p>{}, {}. The cluster means what Go reads in NO_PROXY. ",
                     Counted(page.rows.size(), "destination", "destinations"),
                     Counted(page.clients.size(), "client", "clients"));
  out += differing == 0
             ? std::string("All clients do what Go does.")
             : fmt::format("For {}, a client does something else.", Counted(differing, "destination", "destinations"));
  return out + "</p>\n";
}

std::string RequiredSection(const ExplainPage& page) {
  if (page.required.empty()) return {};
  const auto failed = static_cast<std::size_t>(
      std::ranges::count_if(page.required, [](const PageRequirement& one) { return !one.objections.empty(); }));
  std::string out = fmt::format(
      "<section id=\"required\">\n<h2>Required destinations</h2>\n<p>{} of {} would not be reached as required.</p>\n",
      failed, page.required.size());
  out += TableStart("Required destinations", {"Result", "Destination", "Required", "Why not"});
  for (const PageRequirement& one : page.required) {
    const bool ok = one.objections.empty();
    out += fmt::format(
        "<tr><td class=\"{}\"><span class=\"word\">{}</span></td><th scope=\"row\">{}</th><td>{}</td>"
        "<td class=\"prose\">",
        ok ? "direct" : "stop", ok ? "ok" : "FAILED", CodeElement(one.shown), HtmlText(one.wanted));
    for (const auto& [clients, why] : one.objections)
      out += fmt::format("<p><strong>{}</strong>: {}</p>", HtmlText(clients), HtmlText(why));
    out += "</td></tr>\n";
  }
  out += TableEnd();
  return out + "</section>\n";
}

// Hidden until the page's script shows it, because it needs the script.
std::string Filter() {
  std::string out =
      "<div class=\"filter\" id=\"filter\" role=\"search\" hidden>\n"
      "<label>Filter <input type=\"search\" id=\"filter-text\" autocomplete=\"off\" spellcheck=\"false\" "
      "placeholder=\"host, entry or word\"></label>\n"
      "<label>Show <select id=\"filter-kind\"><option value=\"\">all destinations</option>"
      "<option value=\"differs\">where clients differ from Go</option>";
  for (const Word& word : kWords)
    out += fmt::format("<option value=\"{0}\">where a client has “{0}”</option>", word.word);
  return out +
         "</select></label>\n<button type=\"button\" id=\"filter-all\">Show all</button>\n"
         "<output id=\"filter-count\" for=\"filter-text filter-kind\" aria-live=\"polite\"></output>\n</div>\n";
}

bool HasWord(const PageRow& row, std::string_view word) {
  return (word == "invalid" && !row.fault.empty()) ||
         std::ranges::find(row.cells, word, &PageCell::word) != row.cells.end();
}

// Explains the words that occur on this page.
std::string Legend(const ExplainPage& page) {
  std::string out = "<ul class=\"legend\">\n";
  for (const Word& word : kWords) {
    if (std::ranges::none_of(page.rows, [&](const PageRow& row) { return HasWord(row, word.word); })) continue;
    out += fmt::format("<li><span class=\"tag {}\">{}</span> {}</li>\n", word.style, word.word, word.meaning);
  }
  if (std::ranges::any_of(page.rows, Differs))
    out += "<li><span class=\"other\">not as Go</span> the client decides otherwise than Go</li>\n";
  return out + "</ul>\n";
}

std::string MatrixCell(const PageCell& cell) {
  std::string out = fmt::format("<td class=\"{}\">{}", StyleOf(cell.word), HtmlText(cell.word));
  if (cell.differs) out += " <span class=\"other\">not as Go</span>";
  if (!cell.entry.empty()) out += fmt::format("<span class=\"by\">by {}</span>", CodeElement(cell.entry));
  if (!cell.end.empty()) out += fmt::format("<span class=\"by\">{}</span>", HtmlText(cell.end));
  return out + "</td>";
}

// The words of a row that the filter's list matches.
std::string FilterWordsOf(const PageRow& row) {
  std::string out;
  for (const Word& word : kWords) {
    if (HasWord(row, word.word)) out += fmt::format("{}{}", out.empty() ? "" : " ", word.word);
  }
  return out + (Differs(row) ? " differs" : "");
}

std::string Matrix(const ExplainPage& page) {
  std::string out =
      "<section id=\"decisions\">\n<h2>Decisions</h2>\n"
      "<p>Each column is a client, by its name in <code>--for</code>, with the version whose reading it is.</p>\n" +
      Filter() + Legend(page);
  std::vector<std::string> columns = {"Destination"};
  for (const auto& [name, title] : page.clients)
    columns.push_back(fmt::format("{}<span class=\"by quiet\">{}</span>", HtmlText(name), HtmlText(title)));
  out += TableStart("Decisions", columns, " class=\"matrix\"");
  std::size_t number = 0;
  for (const PageRow& row : page.rows) {
    out += fmt::format("<tr data-has=\"{}\"><th scope=\"row\"><a href=\"#why-{}\">{}</a></th>", FilterWordsOf(row),
                       ++number, HtmlText(row.shown));
    if (!row.fault.empty()) {
      out += fmt::format("<td class=\"stop\" colspan=\"{}\"><span class=\"word\">invalid</span>: {}</td>",
                         page.clients.size(), HtmlText(row.fault));
    }
    for (const PageCell& cell : row.cells) out += MatrixCell(cell);
    out += "</tr>\n";
  }
  out += TableEnd();
  return out + "</section>\n";
}

// Clients of a row with the same result and reason share a line.
std::string Reasons(const ExplainPage& page, const PageRow& row) {
  std::vector<std::pair<std::string, const PageCell*>> groups;
  for (std::size_t at = 0; at < row.cells.size() && at < page.clients.size(); ++at) {
    const PageCell& cell = row.cells[at];
    const auto same = std::ranges::find_if(groups, [&](const auto& group) { return *group.second == cell; });
    if (same == groups.end()) {
      groups.emplace_back(page.clients[at].first, &cell);
    } else {
      same->first += fmt::format(", {}", page.clients[at].first);
    }
  }
  const bool routed = std::ranges::any_of(row.cells, [](const PageCell& cell) { return !cell.way.empty(); });
  std::vector<std::string> columns = {"Clients", "Decision", "By", "Why"};
  if (routed) columns.emplace_back("Behind the proxy");
  std::string out = "<table>\n" + TableHead(columns);
  for (const auto& [clients, cell] : groups) {
    out += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"{}\"><span class=\"word\">{}</span>{}</td>",
                       HtmlText(clients), StyleOf(cell->word), HtmlText(cell->word),
                       cell->differs ? " <span class=\"other\">not as Go</span>" : "");
    const std::string& by = cell->entry.empty() ? cell->proxy : cell->entry;
    out +=
        fmt::format("<td>{}</td><td class=\"prose\">{}</td>", by.empty() ? "" : CodeElement(by), HtmlText(cell->note));
    if (routed) out += fmt::format("<td class=\"prose\">{}</td>", HtmlText(cell->way));
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string Why(const ExplainPage& page) {
  std::string out = "<section id=\"why\">\n<h2>Why</h2>\n<p>Open a destination for the reasons of each client.</p>\n";
  std::size_t number = 0;
  for (const PageRow& row : page.rows) {
    out += fmt::format("<details><summary>{}</summary>\n<div id=\"why-{}\">\n", HtmlText(row.shown), ++number);
    out += row.fault.empty() ? Reasons(page, row) : fmt::format("<p>{}</p>\n", HtmlText(row.fault));
    out += "</div>\n</details>\n";
  }
  return out + "</section>\n";
}

std::string NoProxySection(const ExplainPage& page) {
  std::string out = "<section id=\"list\">\n<h2>NO_PROXY</h2>\n";
  if (page.entries.empty()) return out + "<p>The list is empty.</p>\n</section>\n";
  out +=
      "<p>The entries in their order, as Go reads them. The last column counts the destinations on this page for "
      "which a client goes direct by the entry.</p>\n";
  out += TableStart("Entries of NO_PROXY", {"Number", "Entry", "Means", "Destinations"});
  std::size_t number = 0;
  for (const PageEntry& entry : page.entries) {
    out += fmt::format("<tr><td>{}</td><th scope=\"row\">{}{}</th><td class=\"prose\">{}{}</td><td>{}</td></tr>\n",
                       ++number, CodeElement(entry.text), entry.is_added ? " <span class=\"other\">added</span>" : "",
                       HtmlText(entry.kind), entry.reason.empty() ? "" : ": " + HtmlText(entry.reason),
                       entry.destinations);
  }
  out += TableEnd();
  if (page.entries_left_out > 0)
    out += fmt::format("<p>The list goes on: {} not shown here.</p>\n",
                       Counted(page.entries_left_out, "entry is", "entries are"));
  return out + "</section>\n";
}

}  // namespace

std::string RenderExplainPage(const ExplainPage& page) {
  std::string out = HtmlHead(kGenerator, "Egress decisions: " + page.source, ExplainPageScript());
  out += "<body>\n<a class=\"skip\" href=\"#decisions\">Skip to the decisions</a>\n<main>\n";
  out += Introduction(page);
  out += RequiredSection(page);
  if (!page.rows.empty()) out += Matrix(page);
  out += NoProxySection(page);
  out += FindingsSection(page.findings);
  if (!page.rows.empty()) out += Why(page);
  out += "</main>\n";
  if (!page.rows.empty()) out += fmt::format("<script>{}</script>\n", ExplainPageScript());
  return out + "</body>\n</html>\n";
}

bool IsExplainPage(std::string_view bytes) { return IsHtmlPage(kGenerator, bytes); }

}  // namespace prov::cli
