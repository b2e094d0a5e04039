#include "provisioner/cli/bake_oci.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "provisioner/base/file.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/bake_delivery.h"
#include "provisioner/cli/own_program.h"
#include "provisioner/cli/version.h"
#include "provisioner/payload/controller_image.h"
#include "provisioner/payload/host_process_image.h"

namespace prov::cli {
namespace {

constexpr std::uint64_t kTreeLimit = std::uint64_t{1} << 30U;

using Annotations = std::map<std::string, std::string>;

// What was written, for the report.
struct Written {
  std::string_view os;
  std::string architecture, version, digest;
  std::vector<std::pair<std::string, std::size_t>> files;  // of the container: path and bytes
};

// Checks that only options that apply to this image are given.
Result<void> CheckOciOptions(const Arguments& arguments, const CommandSpec& spec, std::string_view input) {
  const std::array<std::string_view, 6> taken = {"out", "format", "os", "annotation", "output", input};
  if (!arguments.positional().empty()) {
    return Fail(Code::kUsage,
                "an image contains the program but no settings, because everybody who can pull it can read it; leave "
                "SOURCE out, and name the source with provisioner deploy --print --source SOURCE",
                "SOURCE");
  }
  for (const OptionSpec& option : spec.options) {
    if (!arguments.Has(option.name) || std::ranges::find(taken, option.name) != taken.end()) continue;
    return Fail(Code::kUsage, "has no effect on this image; leave it out, or choose another --format or --os",
                fmt::format("--{}", option.name));
  }
  if (arguments.Get("out").empty()) return Fail(Code::kUsage, "--out FILE is missing", "provisioner bake");
  PROV_TRY(CheckOutputName(arguments, arguments.Get("out")));
  if (arguments.Has(input)) return {};
  return Fail(Code::kUsage,
              input == "exe" ? "--exe FILE is missing: give the provisioner.exe that the image should contain"
                             : "--tree FILE is missing: give a tar of the Linux system that the image should contain",
              "provisioner bake");
}

Result<Annotations> ParseAnnotations(const Arguments& arguments) {
  Annotations out;
  for (const std::string& text : arguments.All("annotation")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Fail(Code::kUsage, fmt::format("takes KEY=VALUE, not \"{}\"", Printable(text)), "--annotation");
    out.insert_or_assign(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

Result<Written> WriteForWindows(const Arguments& arguments, const Annotations& annotations, std::int64_t time_unix) {
  const payload::ProgramFile program = PROV_TRY(payload::LoadProgramFile(arguments.Get("exe")));
  const payload::HostProcessImage image = PROV_TRY(payload::MakeHostProcessImage(program, time_unix, annotations));
  PROV_TRY(payload::WriteOciImage(image.files, arguments.Get("out"), time_unix));
  Written out{"windows", image.architecture, program.version, image.digest, {}};
  out.files.reserve(image.layer.size());
  for (const payload::ImageFile& file : image.layer) out.files.emplace_back(file.path, file.bytes.size());
  return out;
}

Result<Written> WriteForLinux(const Arguments& arguments, const Annotations& annotations, std::int64_t time_unix) {
  const std::string program = PROV_TRY(ReadOwnProgram(kTreeLimit));
  const std::string tree = arguments.Get("tree");
  const payload::OciImage image = PROV_TRY(payload::MakeControllerImage(PROV_TRY(ReadFile(tree, kTreeLimit)), program,
                                                                        VersionNumber(), annotations, tree, time_unix));
  PROV_TRY(payload::WriteOciImage(image.files, arguments.Get("out"), time_unix));
  return Written{"linux",
                 std::string(payload::kControllerArchitecture),
                 VersionNumber(),
                 image.digest,
                 {{std::string(payload::kControllerProgram.substr(1)), program.size()}}};
}

std::string ImageJson(const Written& image, const std::string& path) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("out", path).Member("format", kOciFormat);
  json.Member("digest", image.digest).Member("os", image.os).Member("architecture", image.architecture);
  json.Member("version", image.version).Key("files").BeginArray();
  for (const auto& [name, bytes] : image.files)
    json.BeginObject().Member("path", name).Member("bytes", bytes).Member("secret", false).EndObject();
  json.EndArray();
  WriteFindings(json, {});
  return json.EndObject().Text();
}

std::string ImageText(const Written& image, const std::string& path) {
  const std::string shown = Printable(path);
  std::string out = fmt::format("wrote  {} ({}/{}, provisioner {})\n       {}\n", shown, image.os, image.architecture,
                                Printable(image.version), image.digest);
  for (const auto& [name, bytes] : image.files) out += fmt::format("       {:>8}  {}\n", bytes, Printable(name));
  return out + fmt::format("push it with: skopeo copy oci-archive:{} docker://REGISTRY/NAME:{}\n", shown,
                           Printable(image.version));
}

}  // namespace

OptionGroup OciOptionSpecs() {
  return {{"os", "OS", "of an image: windows (the default, for nodes), or linux (for provisioner controller)",
           Group::kPayload, false, "windows linux"},
          {"tree", "FILE", "for --os linux: a tar of the system that the image should contain, with this program in it",
           Group::kPayload},
          {"annotation", "KEY=VALUE",
           "write this into an image, such as org.opencontainers.image.revision=COMMIT (repeatable)", Group::kPayload}};
}

Result<Outcome> BakeOci(const Arguments& arguments, const CommandSpec& spec, std::int64_t time_unix) {
  const bool as_json = PROV_TRY(WantsJson(arguments));
  const bool is_linux = arguments.Has("os") && PROV_TRY(OneOf(arguments, "os")) == "linux";
  PROV_TRY(CheckOciOptions(arguments, spec, is_linux ? "tree" : "exe"));
  const Annotations annotations = PROV_TRY(ParseAnnotations(arguments));
  const Written written = PROV_TRY(is_linux ? WriteForLinux(arguments, annotations, time_unix)
                                            : WriteForWindows(arguments, annotations, time_unix));
  const std::string path = arguments.Get("out");
  return Outcome{0, as_json ? ImageJson(written, path) : ImageText(written, path), {}};
}

}  // namespace prov::cli
