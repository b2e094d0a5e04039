#include "provisioner/cli/explain_page_assets.h"

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

constexpr std::string_view kScript = R"js(
(function () {
  'use strict';
  var box = document.getElementById('filter');
  var text = document.getElementById('filter-text');
  var kind = document.getElementById('filter-kind');
  var count = document.getElementById('filter-count');
  var rows = [].slice.call(document.querySelectorAll('.matrix tbody tr'));
  var whys = [].slice.call(document.querySelectorAll('#why details'));
  var words = rows.map(function (row) { return row.textContent.toLowerCase(); });
  function apply() {
    var wanted = text.value.trim().toLowerCase();
    var shown = 0;
    rows.forEach(function (row, at) {
      var hit = words[at].indexOf(wanted) >= 0 &&
        (kind.value === '' || row.dataset.has.split(' ').indexOf(kind.value) >= 0);
      row.hidden = !hit;
      whys[at].hidden = !hit;
      if (hit) shown += 1;
    });
    count.textContent = shown + ' of ' + rows.length + ' destinations shown';
  }
  text.addEventListener('input', apply);
  kind.addEventListener('change', apply);
  document.getElementById('filter-all').addEventListener('click', function () {
    text.value = '';
    kind.value = '';
    apply();
    text.focus();
  });
  // Not every browser opens what a link into it leads to.
  function reveal() {
    var target = document.getElementById(location.hash.slice(1));
    var reasons = target && target.closest('details');
    if (reasons) reasons.open = true;
  }
  window.addEventListener('hashchange', reveal);
  box.hidden = false;
  apply();
  reveal();
})();
)js";

}  // namespace

std::string_view ExplainPageStyle() { return kStyle; }
std::string_view ExplainPageScript() { return kScript; }

}  // namespace prov::cli
