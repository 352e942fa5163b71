#include "common/step.h"

#include "common/check.h"

namespace cox {

std::string_view name(Distribution d) {
  switch (d) {
    case Distribution::Block: return "block";
    case Distribution::Cyclic: return "cyclic";
    case Distribution::Plane: return "plane";
  }
  CHECK(false && "unknown Distribution");
}

std::string_view name(StepPhase p) {
  switch (p) {
    case StepPhase::Asked: return "asked";
    case StepPhase::Running: return "running";
    case StepPhase::Gone: return "gone";
  }
  CHECK(false && "unknown StepPhase");
}

}  // namespace cox
