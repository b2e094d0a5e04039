// What a node does besides its rounds: reports its state to its cluster, asks that for approval, writes metrics, and
// requests reboots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/maintenance_window.h"

namespace prov::node {

// The Node object of this machine, and how to reach its cluster.
struct ClusterNode {
  std::string name;
  std::string kubeconfig;    // an absolute path, or "in-cluster"
  bool is_followed = false;  // the node remembers the file: only administrators may be able to write it

  bool operator==(const ClusterNode&) const = default;
};

// How a needed reboot is requested: from Windows; by the annotation that the Windows Machine Config Operator reads; or
// from Windows once the cluster has drained the node and approved it.
enum class RebootMethod { kNow, kAnnotate, kDrain };

struct RebootChoice {
  std::optional<RebootMethod> method;       // nullopt: never; all but kNow need a ClusterNode
  std::optional<MaintenanceWindow> window;  // not for RebootMethod::kAnnotate; nullopt: at any time

  bool MayRequestAt(std::int64_t unix_seconds) const { return method && (!window || window->Contains(unix_seconds)); }

  bool operator==(const RebootChoice&) const = default;
};

struct NodeReporting {
  std::optional<ClusterNode> cluster;  // nullopt: no cluster gets reports
  bool approval = false;               // new settings wait for the cluster's approval (approval.h); needs `cluster`
  std::string metrics_file;            // "": none
  RebootChoice reboot;

  bool IsNothing() const { return !cluster && metrics_file.empty() && !reboot.method; }

  bool operator==(const NodeReporting&) const = default;
};

// The choices as the next value of the document (docs/state.md).
void WriteNodeReporting(JsonWriter& json, const NodeReporting& reporting);
// A kubeconfig that is read here is followed. Errors: type, usage (of the window).
Result<NodeReporting> ReadNodeReporting(const JsonNode& node);

// "now", "annotate", "drain".
std::string_view NameOf(RebootMethod method);

}  // namespace prov::node
