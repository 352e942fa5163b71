#include "common/job.h"

#include "common/check.h"

namespace cox {

std::string_view name(WaitReason r) {
  switch (r) {
    case WaitReason::None: return "None";
    case WaitReason::Priority: return "Priority";
    case WaitReason::Resources: return "Resources";
    case WaitReason::Licenses: return "Licenses";
    case WaitReason::ReqNodeNotAvail: return "ReqNodeNotAvail";
    case WaitReason::JobHeldUser: return "JobHeldUser";
    case WaitReason::Dependency: return "Dependency";
    case WaitReason::DependencyNeverSatisfied: return "DependencyNeverSatisfied";
    case WaitReason::BeginTime: return "BeginTime";
  }
  CHECK(false && "unknown WaitReason");
}

}  // namespace cox
