// Makes a file or folder under a temporary name beside its target, and renames it onto the target when it is complete.
// The next run that writes to the same target removes what a killed run left. A leftover has such a name, belongs to
// the same user, and is not held by a running program.
#pragma once

#include <string>

#include "provisioner/base/beside.h"
#include "provisioner/base/posix_api.h"

namespace prov {

// Removes leftovers of its kind, then makes a file (mode 0600) or folder (0700) "FOLDER/.NAME.provisioner-XXXXXX" that
// will become `path`, and stores its name in `made`. The open descriptor marks it as in use. An empty descriptor:
// failure, see errno.
posix::Descriptor MakeFileBeside(const std::string& path, std::string& made);
posix::Descriptor MakeFolderBeside(const std::string& path, std::string& made);
// The same without removing leftovers, for a folder that has only new files.
posix::Descriptor MakeFileInNewFolder(const std::string& path, std::string& made);

// Marks a file or folder as in use that was not made here, such as a folder that is moved aside. Returns false if
// another run holds it.
bool Hold(const posix::Descriptor& opened);

// Completes a file: sets its mode (as OutputMode takes it) and closes it. `path` is for messages. With `flush` here and
// in MoveInPlace, a crash leaves the complete file or none. Errors: io.
Result<void> FinishFile(posix::Descriptor& file, unsigned mode, bool flush, const std::string& path);
// Renames `made`, a file or folder, to `path`, and empties the name. Errors: io; those of FlushFolder.
Result<void> MoveInPlace(std::string& made, const std::string& path, bool flush);

// Removes what killed runs moved aside (AsideOf). Call it only when `path` is in place: until then, one of these may be
// the only good copy.
void RemoveReplaced(const std::string& path);

}  // namespace prov
