// The requests of jobs to the scheduler, for the current state of partitions, reservations and
// nodes. Part of Cluster. Pure.
#pragma once

#include "controller/job/per_spec_cache.h"
#include "controller/state/accounting_state.h"
#include "controller/state/node_table.h"
#include "controller/state/partition_table.h"
#include "controller/state/reservation_table.h"
#include "schedule/model/request.h"

namespace cox {

class JobRequests {
 public:
  // REQUIRES: all four arguments outlive this object.
  JobRequests(const PartitionTable& partitions, const NodeTable& nodes,
              const AccountingState& accounting, const ReservationTable& reservations)
      : partitions_(partitions),
        nodes_(nodes),
        accounting_(accounting),
        reservations_(reservations) {}

  Shared<schedule::Request> of_spec(const Shared<ParsedSpec>& spec) const;
  // Returns the request of a job with a live attempt, in the partition where it runs.
  Shared<schedule::Request> of_live(const JobEntry& entry) const;
  // Returns `request` with one alternative for each type of GPU, if its GPUs could otherwise be of
  // several types and it names none, or if limits count GPUs by type.
  Shared<schedule::Request> by_gpu_type(Shared<schedule::Request> request) const;
  bool counts_gpu_types() const { return counts_gpu_types_; }

  // Called by Cluster when requests made before are out of date.
  void forget_all() { of_specs_.forget_all(); }
  // Returns whether this has changed since the last call: whether limits count GPUs by type.
  bool settle_gpu_types();

 private:
  const PartitionTable& partitions_;
  const NodeTable& nodes_;
  const AccountingState& accounting_;
  const ReservationTable& reservations_;
  bool counts_gpu_types_ = false;
  mutable PerSpecCache<schedule::Request> of_specs_;
};

}  // namespace cox
