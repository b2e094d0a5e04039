#include "images/archive/archive.h"
#include "provisioner/payload/payload_folder.h"

namespace prov::payload {

Result<void> WritePayloadFolder(const Payload& payload, const std::string& path, std::int64_t time_unix,
                                const StopCheck& stop_check) {
  const auto sink = PROV_TRY(images::MakeFolder(path, time_unix, CheckReplaceablePayload));
  for (const PayloadFile& file : payload.files) {
    PROV_TRY(CheckStop(stop_check));
    PROV_TRY(sink->Add(file.path, file.bytes, file.Mode()));
  }
  return sink->Finish();
}

}  // namespace prov::payload
