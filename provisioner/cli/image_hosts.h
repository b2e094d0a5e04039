// The hosts that pulls of images asked, as a list for people, for `explain --required` and for an HTTP egress router.
#pragma once

#include <span>
#include <string>

#include "provisioner/base/json_writer.h"
#include "provisioner/pull/pull.h"

namespace prov::cli {

// The member "hosts" of the open object.
void WriteHosts(JsonWriter& json, std::span<const pull::Pulled> images);

// A line for each host of one image: its purposes, and the proxy through which it was asked.
std::string DescribeHosts(const pull::Pulled& image);

// A file for --required of `explain`.
std::string RequiredList(std::span<const pull::Pulled> images);

// Destinations of an HTTP egress router: names, each once. What goes direct passes no router. A wildcard stands for
// hosts for which the service documents one (docs/registries.md#which-hosts-does-a-registry-need).
std::string RouterList(std::span<const pull::Pulled> images);

}  // namespace prov::cli
