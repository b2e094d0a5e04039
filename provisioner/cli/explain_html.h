// `explain --html FILE`: writes the answers as a page.
#pragma once

#include <optional>
#include <string>

#include "provisioner/base/result.h"
#include "provisioner/cli/explain_page.h"
#include "provisioner/cli/explain_question.h"
#include "provisioner/cli/options.h"
#include "provisioner/egress/augment.h"
#include "provisioner/egress/egress_config.h"

namespace prov::cli {

OptionSpec HtmlOption();

// The path of the page; "" without --html. Errors: usage; too-large (more destinations than a browser can show).
Result<std::string> ParseHtml(const Arguments& arguments, const Question& question);

// Makes the page for `config`. `settings` are its own or augmented ones. The page has the findings of `config` and
// those about its proxy URLs and its list. Errors: no-proxy.
Result<ExplainPage> MakeExplainPage(const egress::EgressConfig& config, const egress::ClientSettings& settings,
                                    const std::optional<egress::AugmentedNoProxy>& augmented,
                                    const egress::Explainer& explainer, const Question& question,
                                    const std::vector<RequiredResult>& required);

// Writes the page; replaces an earlier page, but no other file. Errors: target, io.
Result<void> WriteExplainPage(const std::string& path, const ExplainPage& page);

}  // namespace prov::cli
