// A signed node: its own files (node_payloads.h), with a manifest that names the node and the payload that they go
// with, and its signature. They are for this node alone, and no payload.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/payload/payload.h"
#include "provisioner/payload/payload_reader.h"
#include "provisioner/payload/payload_signature.h"

namespace prov::payload {

// The payload's folder on a drive. The payload in it has its own manifest and signature.
inline constexpr std::string_view kDrivePayload = "provisioner/";

// In the folder of many nodes: their payload, and a folder for each of them.
inline constexpr std::string_view kCommonFolder = "common/";
inline constexpr std::string_view kNodesFolder = "nodes/";

// Where the payload of a node is, from the folder of its files.
inline constexpr std::string_view kPayloadOfDrive = "provisioner";
inline constexpr std::string_view kPayloadOfNodes = "../../common";

// Whether a node's folder can have a file of this name. Other files are not ours.
bool IsNodeFile(std::string_view name);

// Adds manifest.json, which names the node and lists the files, and its signature. Sorts them by path.
Result<void> SignNodeFiles(std::vector<PayloadFile>& files, const ManifestHead& head, const SigningKey& key);

// Whether the folder, or the root of a drive, holds the files of this node as the pin wants them signed, and no others,
// and whether the payload that their manifest names is there. Errors: those of LoadFolder and CheckDigests; manifest if
// they are a payload or of another node, and if the payload is missing or another one.
Result<Manifest> CheckNodeFiles(const std::string& folder, const Pin& pin, std::string_view node);

}  // namespace prov::payload
