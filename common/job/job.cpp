#include "common/job/job.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/text.h"

namespace cox {

std::string_view name(JobForm form) {
  return form == JobForm::Gang ? "gang" : form == JobForm::Batch ? "batch" : "allocation";
}

std::string_view name(CheckpointBy by) {
  return by == CheckpointBy::AllRanks ? "all_ranks" : "rank0";
}

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
    case WaitReason::AssocGrpJobsLimit: return "AssocGrpJobsLimit";
    case WaitReason::AssocGrpNodeLimit: return "AssocGrpNodeLimit";
    case WaitReason::AssocGrpCpuLimit: return "AssocGrpCpuLimit";
    case WaitReason::AssocGrpMemLimit: return "AssocGrpMemLimit";
    case WaitReason::AssocGrpGRES: return "AssocGrpGRES";
    case WaitReason::AssocGrpLicense: return "AssocGrpLicense";
    case WaitReason::AssocMaxJobsLimit: return "AssocMaxJobsLimit";
    case WaitReason::AssocGrpCPUMinutesLimit: return "AssocGrpCPUMinutesLimit";
    case WaitReason::AssocGrpMemMinutes: return "AssocGrpMemMinutes";
    case WaitReason::AssocGrpNodeMinutes: return "AssocGrpNodeMinutes";
    case WaitReason::AssocGrpGRESMinutes: return "AssocGrpGRESMinutes";
    case WaitReason::AssocGrpWallLimit: return "AssocGrpWallLimit";
    case WaitReason::QOSGrpCPUMinutesLimit: return "QOSGrpCPUMinutesLimit";
    case WaitReason::QOSGrpMemoryMinutes: return "QOSGrpMemoryMinutes";
    case WaitReason::QOSGrpNodeMinutes: return "QOSGrpNodeMinutes";
    case WaitReason::QOSGrpGRESMinutes: return "QOSGrpGRESMinutes";
    case WaitReason::QOSGrpWallLimit: return "QOSGrpWallLimit";
    case WaitReason::JobArrayTaskLimit: return "JobArrayTaskLimit";
    case WaitReason::PartitionDown: return "PartitionDown";
    case WaitReason::PartitionInactive: return "PartitionInactive";
    case WaitReason::PartitionNodeLimit: return "PartitionNodeLimit";
    case WaitReason::PartitionTimeLimit: return "PartitionTimeLimit";
    case WaitReason::Reservation: return "Reservation";
    case WaitReason::ReservationDeleted: return "ReservationDeleted";
    case WaitReason::JobHoldMaxRequeue: return "JobHoldMaxRequeue";
  }
  CHECK(false && "unknown WaitReason");
}

JobSpec component_spec(const JobSpec& spec, std::int64_t component) {
  JobSpec one = spec;
  one.components.clear();
  if (component > 0)
    static_cast<JobSize&>(one) = spec.components.at(static_cast<std::size_t>(component - 1));
  return one;
}

ParsedSpec component_spec(const ParsedSpec& spec, std::int64_t component) {
  const JobSpec& all = spec;
  ParsedSpec one(component_spec(all, component), spec.terms);
  if (spec.components.empty()) return one;
  JobTerms& own = one.terms.change();
  if (component > 0)
    static_cast<SizeTerms&>(own) =
        spec.terms->components.at(static_cast<std::size_t>(component - 1));
  own.components.clear();
  return one;
}

bool names_partition(const ParsedSpec& spec, std::string_view partition) {
  const auto names = [&](const SizeTerms& terms) {
    return std::ranges::find(terms.partitions, partition) != terms.partitions.end();
  };
  return names(*spec.terms) || std::ranges::any_of(spec.terms->components, names);
}

void drop_licences(ParsedSpec& spec) {
  if (spec.licences.empty()) return;
  spec.licences.clear();
  spec.terms.change().licences.clear();
}

void set_partitions(ParsedSpec& spec, std::vector<std::string> names) {
  std::string text = joined(names, ",");
  if (text == spec.partition) return;
  spec.partition = std::move(text);
  spec.terms.change().partitions = std::move(names);
}

Wall latest_start(const JobSpec& spec) {
  const std::int64_t least_s = spec.time_min_s > 0 ? spec.time_min_s : spec.time_limit_s;
  return spec.deadline - std::chrono::seconds{least_s};
}

std::int64_t nodes_of_all(const JobSpec& spec) {
  std::int64_t nodes = spec.nodes;
  for (const JobSize& one : spec.components) nodes += one.nodes;
  return nodes;
}

std::int64_t tasks_of_all(const JobSpec& spec) {
  std::int64_t tasks = spec.tasks;
  for (const JobSize& one : spec.components) tasks += one.tasks;
  return tasks;
}

bool resumes_from_newest(const JobSpec& spec) {
  return std::ranges::find(spec.stored_options, resume_newest_stored) != spec.stored_options.end();
}

void forget_gpus_per_node(std::vector<std::string>& stored_options) {
  std::erase_if(stored_options,
                [](const std::string& each) { return each.starts_with(gpus_per_node_stored); });
}

bool is_without_shell(const JobSpec& spec) {
  return std::ranges::find(spec.stored_options, "no-shell") != spec.stored_options.end();
}

}  // namespace cox
