#include "common/messages.h"

#include "common/check.h"

namespace cox {

std::string_view name(JobVerb v) {
  switch (v) {
    case JobVerb::Cancel: return "cancel";
    case JobVerb::Hold: return "hold";
    case JobVerb::Release: return "release";
    case JobVerb::Requeue: return "requeue";
    case JobVerb::Preempt: return "preempt";
  }
  CHECK(false && "unknown JobVerb");
}

}  // namespace cox
