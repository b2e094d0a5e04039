// `explain --image`: the endpoints of images with the client's decision for each, as JSON and as text.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/cli/through_options.h"
#include "provisioner/egress/dialect_explain.h"
#include "provisioner/registries/endpoints.h"

namespace prov::cli {

// The member "images" of the document.
void WriteImages(JsonWriter& json, const egress::Explainer& explainer,
                 const std::vector<registries::ImageEndpoints>& images, const ThroughOptions& through);

// A block for each image, with a line for each endpoint.
std::string DescribeImages(const egress::Explainer& explainer, const std::vector<registries::ImageEndpoints>& images,
                           const ThroughOptions& through, bool colour);

}  // namespace prov::cli
