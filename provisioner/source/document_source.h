// Reads an EgressConfig from the bytes of any document that can be a source, wherever the document came from.
#pragma once

#include <memory>
#include <string>

#include "ignition/document.h"
#include "provisioner/base/json.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/source/reading.h"

namespace prov::source {

// Recognises the document by its content: MachineConfig or Ignition config (or a list), ControllerConfig, Proxy with
// its trust ConfigMap and the other kinds of document_kinds.cc; or an archive of collected objects
// (gathered_files.h). `where` names the input in messages.
// `fetcher` may be null; then remote configs and contents are errors. Errors: json, yaml, kind, and those of the
// format. Their `where` is the place in the document, their `file` the input.
Result<egress::EgressConfig> ReadDocument(std::string bytes, const std::string& where,
                                          const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                          const ignition::Limits& limits = {});

// The same for a document that is parsed.
Result<egress::EgressConfig> ReadParsedDocument(std::unique_ptr<JsonDocument> document, const std::string& where,
                                                const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                                const ignition::Limits& limits = {});

// The end of both, for a reader that has found the object itself: parses the certificates. `where` names the input,
// also in errors, which are those of Finish and of the reading.
Result<egress::EgressConfig> FinishIn(Result<Reading> reading, const std::string& where);

}  // namespace prov::source
