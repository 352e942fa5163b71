// The parsed texts of a job's options (its terms), such as `--constraint=a&b`, `--gres=fpga:2` or
// `--array=0-9`. A ParsedSpec (common/job/job.h) keeps them beside the texts, so that a text is
// parsed only when a job is admitted, loaded or received.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/resources/gpu_wish.h"
#include "common/resources/gres.h"
#include "common/resources/licence.h"
#include "common/syntax/array_tasks.h"
#include "common/syntax/constraint.h"
#include "common/syntax/dependency.h"
#include "common/syntax/node_range.h"
#include "common/syntax/topology_wish.h"

namespace cox {

// The text of an option that could not be parsed. It has no effect.
struct UnreadableText {
  std::string_view option;  // "--gres"
  Refusal why;              // names the option
};

// The parsed texts of a JobSize.
struct SizeTerms {
  std::vector<std::string> partitions;  // names of partitions, each once, in the order written
  Constraint constraint;
  Constraint prefer;
  GresWish gres;
  std::vector<GpuTypeWish> gpu_types;
  std::optional<Preference> gpu_choice;
  // All texts of the specification that could not be parsed.
  std::vector<UnreadableText> unreadable;
};

// The parsed texts of a JobSpec. The inherited members are those of its first component.
struct JobTerms : SizeTerms {
  ArrayWish array;            // an array without tasks: the job has no array
  DependencyWish dependency;  // without terms: the job has no dependency
  std::vector<LicenceCount> licences;
  std::optional<NodeRange> node_range;
  SwitchesWish switches;
  TopologyWish topology;
  std::vector<SizeTerms> components;  // parsed texts of JobSpec::components, in the same order
};

// Returns why the text of the option could not be parsed; nothing if it could, or if it is empty.
Failure unreadable(const SizeTerms& terms, std::string_view option);

}  // namespace cox
