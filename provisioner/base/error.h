// The one list of failures. A code gives the process exit code, the word in JSON (`error.code`) and the row in the
// documentation and in `provisioner explain-code`, so that these can't drift apart.
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

// `message` says what went wrong and what to do, in one sentence without a full stop. A message that begins with its
// verb has its place as its subject (see sentence.h). `where` is a file, a JSON path such as
// `$.spec.config.storage.files[3].contents.source`, or "line 3, column 7". `file` is the document of such a path, if
// `where` doesn't name it. None of them may hold a secret. All may hold bytes of the input, so they pass through
// Printable() before they are shown on a terminal.
struct Error {
  Code code = Code::kInternal;
  std::string message;
  std::string where;
  std::string file = {};
};

}  // namespace prov
