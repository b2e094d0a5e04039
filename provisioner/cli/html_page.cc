#include "provisioner/cli/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "provisioner/base/base64.h"
#include "provisioner/base/finding_table.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov::cli {
namespace {

constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1c2126; --quiet: #525b66; --line: #c9d0d8; --band: #f2f4f7; --link: #0b57b0;
  --proxy: #dceafc; --proxy-text: #123f73; --direct: #ddf3e1; --direct-text: #124a22;
  --stop: #fbe1de; --stop-text: #7c1712; --unsure: #fbf0cd; --unsure-text: #594100;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181d; --text: #e4e8ec; --quiet: #a3adb8; --line: #3d4650; --band: #1e242b; --link: #84b8f5;
    --proxy: #173657; --proxy-text: #cfe3fb; --direct: #173f25; --direct-text: #c4edcf;
    --stop: #5a1c1a; --stop-text: #fbd5d1; --unsure: #4c3a08; --unsure-text: #f6e4ae;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 90rem; background: var(--page); color: var(--text);
  font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
p { margin: .4rem 0; max-width: 75rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code, .value { font-family: ui-monospace, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace; font-size: .9em; }
.value { overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; }
dt { font-weight: 600; }
dd { margin: 0; min-width: 0; }
.filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .75rem 0; }
.filter[hidden] { display: none; }
.filter label { display: grid; gap: .2rem; font-weight: 600; }
.filter input, .filter select, .filter button {
  font: inherit; font-weight: 400; padding: .35rem .5rem; min-height: 2.4rem; color: var(--text); background: var(--page);
  border: 1px solid var(--quiet); border-radius: .3rem;
}
.filter input { width: 20rem; max-width: 100%; }
::placeholder { color: var(--quiet); opacity: 1; }
.filter output { padding: .4rem 0; }
.scroll { overflow: auto; max-height: 85vh; border: 1px solid var(--line); border-radius: .3rem; }
table { border-collapse: separate; border-spacing: 0; width: 100%; }
th, td {
  text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line);
  border-right: 1px solid var(--line);
}
tr > :last-child { border-right: 0; }
tbody tr:last-child > * { border-bottom: 0; }
th { background: var(--band); }
thead th { position: sticky; top: 0; z-index: 1; }
.matrix { table-layout: fixed; }
.matrix thead th { width: 5.8rem; }
.matrix th:first-child { position: sticky; left: 0; z-index: 2; overflow-wrap: anywhere; }
.matrix thead th:first-child { z-index: 3; width: 14rem; }
.matrix tbody th { font-weight: 400; }
.matrix td { font-weight: 600; }
.matrix td, .matrix thead th + th { padding-inline: .35rem; }
.matrix .by { display: block; font-weight: 400; font-size: .85em; overflow-wrap: anywhere; }
.word { font-weight: 600; }
.other { display: inline-block; font-size: .75em; padding: 0 .35em; border: 1px solid currentColor; border-radius: .6em; }
.proxy { background: var(--proxy); color: var(--proxy-text); }
.direct { background: var(--direct); color: var(--direct-text); }
.stop { background: var(--stop); color: var(--stop-text); }
.unsure { background: var(--unsure); color: var(--unsure-text); }
.tag { display: inline-block; padding: 0 .4em; border-radius: .3em; font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; margin: .5rem 0; padding: 0; }
.legend .other { margin: .2rem 0; }
details { border: 1px solid var(--line); border-radius: .3rem; margin: .3rem 0; }
summary { padding: .45rem .6rem; cursor: pointer; overflow-wrap: anywhere; background: var(--band); }
details > div { overflow-x: auto; }
td.prose { min-width: 14rem; }
td.value, details td:nth-child(3) { min-width: 11rem; }
td p { margin: 0 0 .3rem; }
tbody th[scope=row] { min-width: min(16rem, 32vw); }
[hidden] { display: none; }
@media (max-width: 40rem) {
  body { padding: .6rem; }
  h1 { font-size: 1.25rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .4rem; }
  th, td { padding: .35rem .45rem; }
  .matrix thead th:first-child { width: 9rem; }
  .matrix th:first-child { font-size: .9em; }
  .filter label, .filter input, .filter select { width: 100%; }
}
@media print {
  @page { size: landscape; margin: 1cm; }
  body { padding: 0; max-width: none; font-size: .7rem; }
  .scroll { overflow: visible; max-height: none; }
  .filter, .skip, details:not([open]) { display: none; }
  thead th, .matrix th:first-child { position: static; }
  .matrix thead th { width: auto; overflow-wrap: anywhere; }
  .matrix thead th:first-child { width: 18%; }
  th, td { padding: .2rem .3rem; }
  tr { break-inside: avoid; }
}
)css";

// The meaning of each code on this page.
std::string Codes(const Findings& findings) {
  std::map<std::string_view, const FindingInfo*> used;
  for (const FindingInfo& info : AllFindings()) {
    if (std::ranges::find(findings, info.name, &Finding::code) != findings.end()) used.emplace(info.name, &info);
  }
  std::string out = "<details><summary>What the codes mean</summary>\n<div><dl>\n";
  for (const auto& [name, info] : used) {
    out += fmt::format("<dt>{}</dt><dd>{} {}</dd>\n", HtmlText(name), HtmlText(info->meaning), HtmlText(info->remedy));
  }
  return out + "</dl></div>\n</details>\n";
}

std::string BeginningOf(std::string_view generator) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" "
      "content=\"{}\">\n",
      generator);
}

}  // namespace

std::string HtmlText(std::string_view text) { return EscapeMarkup(Printable(text), true); }

std::string PolicySource(std::string_view content) { return fmt::format("'sha256-{}'", EncodeBase64(Sha256(content))); }

std::string_view PageStyle() { return kStyle; }

std::string HtmlHead(std::string_view generator, std::string_view title, std::string_view script) {
  // Nothing is loaded, sent or embedded; the digests allow the page's own style and script.
  return fmt::format(
      "{}<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src {}; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n",
      BeginningOf(generator), PolicySource(kStyle), script.empty() ? "'none'" : PolicySource(script), HtmlText(title),
      kStyle);
}

Result<std::string> ParsePagePath(const Arguments& arguments) {
  if (!arguments.Has("html")) return std::string();
  std::string path = arguments.Get("html");
  if (!path.empty() && path != "-") return path;
  return Fail(Code::kUsage, "takes the name of a file; standard output has the answers as text or JSON", "--html");
}

bool IsHtmlPage(std::string_view generator, std::string_view bytes) {
  return bytes.starts_with(BeginningOf(generator));
}

std::string DescribeHtmlPage(std::string_view bytes) {
  const std::string every = BeginningOf("provisioner ");
  const std::string_view beginning = std::string_view(every).substr(0, every.rfind('"'));
  if (!bytes.starts_with(beginning)) return "";
  const std::string_view command = bytes.substr(beginning.size(), bytes.find('"', beginning.size()) - beginning.size());
  return fmt::format("a page of provisioner {}", Printable(Shorten(command)));
}

std::string Counted(std::size_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string CodeElement(std::string_view text) {
  return fmt::format("<code class=\"value\">{}</code>", HtmlText(text));
}

std::string TableHead(const std::vector<std::string>& columns) {
  std::string out = "<thead>\n<tr>";
  for (const std::string& column : columns) out += fmt::format("<th scope=\"col\">{}</th>", column);
  return out + "</tr>\n</thead>\n<tbody>\n";
}

std::string TableStart(std::string_view label, const std::vector<std::string>& columns, std::string_view style) {
  return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table{}>\n{}", label,
                     style, TableHead(columns));
}

std::string_view TableEnd() { return "</tbody>\n</table>\n</div>\n"; }

std::string FindingsSection(const Findings& findings) {
  std::string out = "<section id=\"findings\">\n<h2>Findings</h2>\n";
  if (findings.empty()) return out + "<p>There is nothing to report.</p>\n</section>\n";
  out += TableStart("Findings", {"Severity", "Code", "Message", "Where"});
  for (const Finding& finding : findings) {
    const std::string_view style = finding.severity == Severity::kError     ? "stop"
                                   : finding.severity == Severity::kWarning ? "unsure"
                                                                            : "proxy";
    out += fmt::format(
        "<tr><td class=\"{}\"><span class=\"word\">{}</span></td><td><code>{}</code></td><td class=\"prose\">{}</td>"
        "<td class=\"value\">{}</td></tr>\n",
        style, NameOf(finding.severity), HtmlText(finding.code), HtmlText(finding.message), HtmlText(finding.where));
  }
  out += TableEnd();
  return out + Codes(findings) + "</section>\n";
}

}  // namespace prov::cli
