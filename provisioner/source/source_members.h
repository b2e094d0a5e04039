// The parts of each kind of document that speak of proxies, trusted certificates or image registries, and what becomes
// of each. A part that is not read is reported, and nothing is removed from a node because of it.
// Facts: the types of the projects that define the documents; docs/openshift.md, docs/egress-systems.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/egress/egress_config.h"
#include "provisioner/source/object_view.h"

namespace prov::source {

enum class Subject { kProxy, kTrust, kRegistries };

enum class Use {
  kApplied,
  kNamed,  // reported (not-read) where the document has it
  kOther,  // about something else than a node's way out, in spite of its name
};

struct SourceMember {
  std::string_view document;  // SourceInfo::kind of what is read
  // A member and those below it, "spec.trustedCA", without "[]" for the elements of lists; a file's path, which may end
  // in "/*" (the files of a folder) or "/**" (also of those below); or the name of a variable.
  std::string_view member;
  Subject subject;
  Use use;
  std::string_view words;      // what it is about, for kNamed and kOther; what it is for, for kApplied
  std::string_view mark = "";  // a file counts only if it holds this text, in any case
};

std::span<const SourceMember> SourceMembers();

// Reports what `object` has of kNamed members, and of members without a row whose names speak of proxies, trust or
// registries. `metadata` is not looked at.
void ReportOtherMembers(std::string_view document, const ObjectView& object, egress::EgressConfig& config);

// The same for the files of an Ignition config. nullptr: the path is none of them.
const SourceMember* FindFile(std::string_view path);

// The same for names of environment variables: those about proxies and certificates that no reader takes.
void ReportOtherVariables(std::span<const std::string_view> names, const std::string& where,
                          egress::EgressConfig& config);

// Adds the finding not-read about one part, and notes it in config.not_read.
void ReportNotRead(Subject subject, std::string_view what, std::string_view words, std::string where,
                   egress::EgressConfig& config);

}  // namespace prov::source
