// The rows of sinfo. A row is a group of nodes that do not differ in the shown columns. Pure.
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
  std::int64_t partition_number = 0;     // its index in coxswain.toml, from 0
  std::vector<const NodeView*> nodes{};  // sorted by name; empty: no node matches
};

std::span<const Field<SinfoRow>> sinfo_fields();

// Returns the rows of sinfo. They point into `list`, which must outlive them.
std::vector<SinfoRow> sinfo_rows(const SinfoRequest& request, const NodeList& list,
                                 const FieldLayout& layout, const FieldView& view);
bool is_wanted(const SinfoRequest& request, const NodeView& node);

// Numbers of nodes, or of CPUs, in a row. `other`: neither allocated nor idle, since the node is
// down or drained.
struct SinfoCounts {
  std::int64_t allocated = 0;
  std::int64_t idle = 0;
  std::int64_t other = 0;
  std::int64_t total = 0;
};
SinfoCounts node_counts(const SinfoRow& row);
SinfoCounts cpu_counts(const SinfoRow& row);

// These two return the GRES of a node, and those in use: "gpu:h100:4,fpga:2"; "(null)" for none.
std::string gres_of(const NodeView& node);
std::string gres_used_of(const NodeView& node);
std::string availability(const PartitionView& partition);  // "up"
std::string preempt_mode_name(const PartitionView& partition);

}  // namespace cox
