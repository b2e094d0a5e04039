#include "provisioner/cli/explain_page_assets.h"

namespace prov::cli {
namespace {

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

std::string_view ExplainPageScript() { return kScript; }

}  // namespace prov::cli
