#include "common/cluster/qos.h"

#include "common/base/check.h"

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

std::optional<PreemptMode> preempt_mode_from(std::string_view word) {
  for (const PreemptMode mode : {PreemptMode::Checkpoint, PreemptMode::Requeue, PreemptMode::Cancel,
                                 PreemptMode::Off, PreemptMode::Suspend})
    if (word == name(mode)) return mode;
  return std::nullopt;
}

}  // namespace cox
