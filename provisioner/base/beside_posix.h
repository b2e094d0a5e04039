// Files and folders that are made beside their place and renamed into it when they are complete. What a run that was
// killed leaves of them goes with the next run that writes to the same place: it is known by its name, belongs to the
// same user, and no running program holds it.
#pragma once

#include <string>
#include <utility>

namespace prov {

// A file descriptor that closes itself, and with it lets go of what MakeFileBeside made. -1: errno.
class Held {
 public:
  explicit Held(int fd = -1) : fd_(fd) {}
  Held(Held&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Held& operator=(Held&&) = delete;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held();
  int get() const { return fd_; }
  bool Close();  // false: what was written may be lost
  // For what is not made here, such as a folder that is moved aside: whether no other run holds it.
  bool Hold() const;

 private:
  int fd_;
};

// For what shall become `path`: a file (mode 0600) or folder (0700) "FOLDER/.NAME.provisioner-XXXXXX", whose name is
// `made` then. Before that, leftovers of its kind go.
Held MakeFileBeside(const std::string& path, std::string& made);
Held MakeFolderBeside(const std::string& path, std::string& made);
// The same without a look at the folder, for one that holds nothing but new files.
Held MakeFileInNewFolder(const std::string& path, std::string& made);

// Where what is replaced waits until its successor is in place.
inline std::string AsideOf(const std::string& made) { return made + ".old"; }
// Removes what was moved aside by runs that were killed. To be called when `path` is in place: until then that may be
// the only good one.
void RemoveReplaced(const std::string& path);

}  // namespace prov
