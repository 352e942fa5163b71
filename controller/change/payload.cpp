#include "controller/change/payload.h"

#include "controller/change/blob_key.h"

namespace cox {

Payload::Payload(const std::string& script_text, const std::string& environment_text,
                 std::uint32_t uid)
    : script(script_text),
      environment(environment_text),
      script_hash(script.empty() ? "" : blob_key(uid, script)),
      environment_hash(blob_key(uid, environment)) {}

namespace {
const std::string script_stored = "#!";
const std::string environment_stored;
}  // namespace

Payload::Payload(const JobSpec& known)
    : script(script_stored),
      environment(environment_stored),
      script_hash(known.script_hash),
      environment_hash(known.environment_hash) {}

}  // namespace cox
