#include "provisioner/cli/bake_oci.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/host_process_image.h"

namespace prov::cli {
namespace {

// Checks that only options that apply to an image are given.
Result<void> CheckOciOptions(const Arguments& arguments, const CommandSpec& spec) {
  constexpr std::array<std::string_view, 4> kTaken = {"out", "format", "exe", "output"};
  if (!arguments.positional().empty()) {
    return Fail(Code::kUsage,
                "an image contains the program but no settings, because everybody who can pull it can read it; leave "
                "SOURCE out, and name the source with provisioner deploy --print --source SOURCE",
                "SOURCE");
  }
  for (const OptionSpec& option : spec.options) {
    if (!arguments.Has(option.name) || std::ranges::find(kTaken, option.name) != kTaken.end()) continue;
    return Fail(Code::kUsage, "has no effect on an image; leave it out, or choose another --format",
                fmt::format("--{}", option.name));
  }
  if (arguments.Has("exe")) return {};
  return Fail(Code::kUsage, "--exe FILE is missing: give the provisioner.exe that the image should contain",
              "provisioner bake");
}

std::string ImageJson(const payload::HostProcessImage& image, const payload::ProgramFile& program,
                      const std::string& path) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("out", path).Member("format", kOciFormat);
  json.Member("digest", image.digest).Member("os", "windows").Member("architecture", image.architecture);
  json.Member("version", program.version).Key("files").BeginArray();
  for (const payload::ImageFile& file : image.layer)
    json.BeginObject().Member("path", file.path).Member("bytes", file.bytes.size()).Member("secret", false).EndObject();
  json.EndArray();
  WriteFindings(json, {});
  return json.EndObject().Text();
}

std::string ImageText(const payload::HostProcessImage& image, const payload::ProgramFile& program,
                      const std::string& path) {
  const std::string shown = Printable(path);
  std::string out = fmt::format("wrote  {} (windows/{}, provisioner {})\n       {}\n", shown, image.architecture,
                                Printable(program.version), image.digest);
  for (const payload::ImageFile& file : image.layer)
    out += fmt::format("       {:>8}  {}\n", file.bytes.size(), Printable(file.path));
  return out + fmt::format("push it with: skopeo copy oci-archive:{} docker://REGISTRY/NAME:{}\n", shown,
                           Printable(program.version));
}

}  // namespace

Result<Outcome> BakeOci(const Arguments& arguments, const CommandSpec& spec, std::int64_t time_unix) {
  const bool as_json = PROV_TRY(WantsJson(arguments));
  PROV_TRY(CheckOciOptions(arguments, spec));
  const std::string path = arguments.Get("out");
  if (path.empty()) return Fail(Code::kUsage, "--out FILE is missing", "provisioner bake");
  const payload::ProgramFile program = PROV_TRY(payload::LoadProgramFile(arguments.Get("exe")));
  const payload::HostProcessImage image = PROV_TRY(payload::MakeHostProcessImage(program, time_unix));
  PROV_TRY(payload::WriteHostProcessImage(image, path, time_unix));
  return Outcome{0, as_json ? ImageJson(image, program, path) : ImageText(image, program, path), {}};
}

}  // namespace prov::cli
