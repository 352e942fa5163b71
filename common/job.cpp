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
    case WaitReason::QOSGrpJobsLimit: return "QOSGrpJobsLimit";
    case WaitReason::QOSGrpNodeLimit: return "QOSGrpNodeLimit";
    case WaitReason::QOSGrpCpuLimit: return "QOSGrpCpuLimit";
    case WaitReason::QOSGrpMemLimit: return "QOSGrpMemLimit";
    case WaitReason::QOSGrpGRES: return "QOSGrpGRES";
    case WaitReason::QOSGrpLicense: return "QOSGrpLicense";
    case WaitReason::QOSMaxJobsPerUserLimit: return "QOSMaxJobsPerUserLimit";
    case WaitReason::QOSMaxNodePerUserLimit: return "QOSMaxNodePerUserLimit";
    case WaitReason::QOSMaxCpuPerUserLimit: return "QOSMaxCpuPerUserLimit";
    case WaitReason::QOSMaxMemoryPerUser: return "QOSMaxMemoryPerUser";
    case WaitReason::QOSMaxGRESPerUser: return "QOSMaxGRESPerUser";
    case WaitReason::QOSMaxLicensePerUser: return "QOSMaxLicensePerUser";
  }
  CHECK(false && "unknown WaitReason");
}

}  // namespace cox
