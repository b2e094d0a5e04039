// What the pages that the program writes have in common: the head with its style, tables, findings. A page is one file
// that loads nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/cli/options.h"

namespace prov::cli {

// Escapes `text` for the content of an element or of a quoted attribute. Control characters, bidirectional overrides
// and malformed UTF-8 appear as Printable() writes them.
std::string HtmlText(std::string_view text);

// The source expression with which a Content-Security-Policy allows only this script or style: 'sha256-…'.
std::string PolicySource(std::string_view content);

// Colours follow prefers-color-scheme; the layout suits phones, desktops and paper.
std::string_view PageStyle();

// From the first byte up to the end of the head. `generator` tells the kinds of pages apart; `script`: the page's own,
// allowed by its digest; "": none.
std::string HtmlHead(std::string_view generator, std::string_view title, std::string_view script = {});

// The path that --html names; "" without it. Errors: usage.
Result<std::string> ParsePagePath(const Arguments& arguments);

// Whether the file begins as a page of this generator does.
bool IsHtmlPage(std::string_view generator, std::string_view bytes);

// "a page of provisioner explain" for a page of any command; "" for other files.
std::string DescribeHtmlPage(std::string_view bytes);

// "1 entry", "2 entries".
std::string Counted(std::size_t number, std::string_view one, std::string_view many);

// A value in the font of code.
std::string CodeElement(std::string_view text);

// A row of headings, and the start of the table's body. `columns` are HTML.
std::string TableHead(const std::vector<std::string>& columns);

// A table that scrolls by itself; the keyboard can scroll it, too. `columns` are HTML; `style`: an attribute of the
// table, after a blank.
std::string TableStart(std::string_view label, const std::vector<std::string>& columns, std::string_view style = {});
std::string_view TableEnd();

// The section `findings`, with what their codes mean.
std::string FindingsSection(const Findings& findings);

}  // namespace prov::cli
