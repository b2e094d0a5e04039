// `explain --html FILE`: the answers as a page.
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

// Where the page goes; "" without --html. Errors: usage; too-large (more destinations than a browser shows).
Result<std::string> ParseHtml(const Arguments& arguments, const Question& question);

// What the page says: of `config` with `settings`, which are its own or augmented. The findings of `config` are on it,
// and those about its proxy URLs and its list. Errors: no-proxy.
Result<ExplainPage> MakeExplainPage(const egress::EgressConfig& config, const egress::ClientSettings& settings,
                                    const std::optional<egress::AugmentedNoProxy>& augmented,
                                    const egress::Explainer& explainer, const Question& question,
                                    const std::vector<RequiredResult>& required);

// Replaces an earlier page only. Errors: target, io.
Result<void> WriteExplainPage(const std::string& path, const ExplainPage& page);

}  // namespace prov::cli
