// The forms around a script, each as its reader wants it from the first byte to the last.
#pragma once

#include <string>
#include <string_view>

namespace prov::userdata {

// EC2Launch v1 and v2. No line end behind the last tag: readers that compare the end take it so only.
std::string InTags(std::string_view script, bool persist);
// EC2Launch v2's own form; the script runs at every boot as SYSTEM.
std::string InEc2LaunchYaml(std::string_view script);

// cloudbase-init: the mark is the first line.
std::string WithCloudbaseMark(std::string_view script);
// Of a marked script; its lines have at most 998 bytes.
std::string InMultipart(std::string_view script);
std::string InCloudConfig(std::string_view script);

// A guestinfo value with the encoding gzip+base64.
std::string InGuestInfo(std::string_view user_data);

}  // namespace prov::userdata
