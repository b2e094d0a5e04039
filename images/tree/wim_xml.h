// The XML in a WIM file: what there is to know of its images without reading them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prov::images::wim {

struct ImageChange {
  int index = 0;
  std::int64_t folders = 0, files = 0, bytes = 0;  // more than before
  std::uint64_t time = 0;                          // FILETIME
};

// The name of an image; "" if it has none.
std::string ImageName(std::string_view xml_utf16, int index);

// With counts and times as they are now. What is not understood is left as it is: nothing but listings depends on it.
std::string ChangeImage(std::string_view xml_utf16, const ImageChange& change);
std::string SetTotalBytes(std::string_view xml_utf16, std::uint64_t bytes);

}  // namespace prov::images::wim
