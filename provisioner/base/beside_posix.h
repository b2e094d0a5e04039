// Files and folders that are made beside their place and renamed into it when they are complete. What a run that was
// killed leaves of them goes with the next run that writes to the same place: it is known by its name, belongs to the
// same user, and no running program holds it.
#pragma once

#include <string>

#include "provisioner/base/posix_api.h"

namespace prov {

// For what shall become `path`: a file (mode 0600) or folder (0700) "FOLDER/.NAME.provisioner-XXXXXX", whose name is
// `made` then. Before that, leftovers of its kind go. It is held while the descriptor is open; an empty one: errno.
posix::Descriptor MakeFileBeside(const std::string& path, std::string& made);
posix::Descriptor MakeFolderBeside(const std::string& path, std::string& made);
// The same without a look at the folder, for one that holds nothing but new files.
posix::Descriptor MakeFileInNewFolder(const std::string& path, std::string& made);

// Holds what is not made here, such as a folder that is moved aside. False: another run holds it.
bool Hold(const posix::Descriptor& opened);

// For a file that is complete: gives it its mode (as OutputMode takes it), and closes it. `path` is for messages. With
// `flush` in both calls, all of it is there after a crash, or none. Errors: io.
Result<void> Finish(posix::Descriptor& file, unsigned mode, bool flush, const std::string& path);
// Then `made`, a file or folder, becomes `path`; the name is empty from then on. Errors: io; those of FlushFolder.
Result<void> MoveInPlace(std::string& made, const std::string& path, bool flush);

// Where what is replaced waits until its successor is in place.
inline std::string AsideOf(const std::string& made) { return made + ".old"; }
// Removes what was moved aside by runs that were killed. To be called when `path` is in place: until then that may be
// the only good one.
void RemoveReplaced(const std::string& path);

}  // namespace prov
