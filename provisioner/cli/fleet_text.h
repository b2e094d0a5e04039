// What `fleet status` says of a fleet: as a table, as JSON, and in the words that its page uses, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/fleet/fleet_status.h"

namespace prov::cli {

// "yes"; else "reverted", "trial", "pending", "held", "password" or "no". `wanted`: the digest.
std::string_view CurrentWord(const fleet::NodeRow& row, const std::string& wanted);

// "no", "needed", "waits" for its turn, "drains", "boots", or "damaged", of the mark of its turn.
std::string_view RebootWord(const fleet::NodeRow& row);

// What fails, or what to look at; "": nothing. It may hold anything except secrets.
std::string TroubleOf(const fleet::NodeRow& row, const std::string& wanted);

// Of a node its name, of a Secret "NAMESPACE/NAME".
std::string NameOf(const fleet::NodeRow& row);

// The first twelve digits; "-": none.
std::string ShortDigest(const std::optional<std::string>& digest);

std::size_t CountCurrent(const std::vector<fleet::NodeRow>& rows);

// A line for each row, under headings. `title`: the first one; `now`: Unix time.
std::string FleetTable(std::string_view title, const std::vector<fleet::NodeRow>& rows, const std::string& wanted,
                       std::int64_t now);

// "rollout of 4385a46da03e: open: wave 2, 3 confirmed, 36 waiting", and why it failed; "": there is none.
std::string RolloutLines(const std::optional<fleet::FleetRollout>& rollout);

// `now`: Unix time.
std::string FleetText(const fleet::FleetStatus& fleet, std::int64_t now);
std::string FleetJson(const fleet::FleetStatus& fleet);

}  // namespace prov::cli
