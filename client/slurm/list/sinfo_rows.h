// The rows of sinfo: nodes of a partition that do not differ in what is shown. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/slurm/list/sinfo_request.h"
#include "client/slurm/text/field_format.h"
#include "common/messages/messages.h"

namespace cox {

struct SinfoRow {
  const PartitionView* partition = nullptr;
  std::int64_t partition_number = 0;     // as they are configured
  std::vector<const NodeView*> nodes{};  // by name; none: the partition has none of those asked for
};

std::span<const Field<SinfoRow>> sinfo_fields();

// Into `list`, which has to stay.
std::vector<SinfoRow> sinfo_rows(const SinfoRequest& request, const NodeList& list,
                                 const FieldLayout& layout, const FieldView& view);
bool is_wanted(const SinfoRequest& request, const NodeView& node);

// How many are allocated, idle, neither of both, and there are.
struct SinfoCounts {
  std::int64_t allocated = 0;
  std::int64_t idle = 0;
  std::int64_t other = 0;
  std::int64_t total = 0;
};
SinfoCounts node_counts(const SinfoRow& row);
SinfoCounts cpu_counts(const SinfoRow& row);

// "gpu:h100:4,fpga:2"; "(null)" for none.
std::string gres_of(const NodeView& node);
std::string gres_used_of(const NodeView& node);
std::string availability(const PartitionView& partition);  // "up"
std::string preempt_mode_name(const PartitionView& partition);

}  // namespace cox
