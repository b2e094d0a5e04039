// The table of all errors. A code determines the process exit code, the word in JSON (`error.code`), the row in the
// documentation and the text of `provisioner explain-code`, so that these agree.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prov {

enum class Code {
  // exit 11: the input can't be read, parsed or trusted, or says something invalid
  kJson,
  kYaml,
  kType,
  kKind,
  kVersion,
  kInvalidConfig,
  kNoConfig,
  kNotFound,
  kDataUrl,
  kScheme,
  kCompression,
  kDecompress,
  kTooLarge,
  kHashSpec,
  kHashMismatch,
  kRemoteSource,
  kMergeRemote,
  kDuplicatePath,
  kLink,
  kDirectory,
  kEnvNul,
  kEnvUtf8,
  kProxyUrl,
  kNoProxy,
  kCert,
  kXml,
  kRow,
  kPolicy,
  kDestination,
  kImageReference,
  kRegistries,
  // exit 12: readable, but refused by a safety rule
  kEmpty,
  kShrink,
  kDirtyHive,
  kHive,
  kFailOpen,
  kSizeLimit,
  kReservedName,
  kDowngrade,
  kOwner,
  kSignature,
  kCluster,
  kManifest,
  kRebootLoop,
  // exit 13: machine, image or output missing or unwritable
  kTarget,
  kHns,
  kUnsupported,
  kIo,
  kInterrupted,
  // exit 14: a source or probe could not be reached
  kNetwork,
  kTls,
  // exit 15: another run holds the lock
  kLock,
  // exit 10: the command line
  kUsage,
  // exit 20: a defect in this program
  kInternal,
};

struct CodeInfo {
  Code code;
  std::string_view name;     // as printed in JSON, e.g. "hash-mismatch"
  int exit;                  // process exit code
  std::string_view meaning;  // whole sentences
  std::string_view remedy;   // whole sentences: what to do
};

// Every code once, in the order of the enum.
std::span<const CodeInfo> AllCodes();
const CodeInfo& InfoOf(Code code);

// `message` is one sentence without a full stop: what went wrong and the remedy. A message that begins with its verb
// has its place as its subject (see sentence.h). `where` is a file, a JSON path such as
// `$.spec.config.storage.files[3].contents.source`, or "line 3, column 7". `file` is the document of such a path, if
// `where` doesn't name it. None of them may contain a secret. All may contain bytes of the input, so pass them through
// Printable() before a terminal shows them.
struct Error {
  Code code = Code::kInternal;
  std::string message;
  std::string where;
  std::string file = {};
};

}  // namespace prov
