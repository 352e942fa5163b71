#include "common/qos.h"

#include "common/check.h"

namespace cox {

std::string_view name(PreemptMode m) {
  switch (m) {
    case PreemptMode::Checkpoint: return "checkpoint";
    case PreemptMode::Requeue: return "requeue";
    case PreemptMode::Cancel: return "cancel";
    case PreemptMode::Off: return "off";
    case PreemptMode::Suspend: return "suspend";
  }
  CHECK(false && "unknown PreemptMode");
}

}  // namespace cox
