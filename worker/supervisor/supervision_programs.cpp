// The part of Supervision that prepares the node, runs its prolog and its epilog around an attempt,
// and ends the attempt on this node.
#include <utility>

#include "common/base/check.h"
#include "worker/supervisor/supervision.h"

namespace cox {

using namespace supervisor;

std::vector<std::int32_t> Supervision::ranks_here() const {
  const auto index = static_cast<std::size_t>(launch_.node_index);
  CHECK(launch_.node_index >= 0 && index < launch_.nodes.size());
  const NodeGrant& grant = launch_.nodes[index].grant;
  const std::int32_t count = ranks_run_on(launch_.spec, grant, launch_.node_index);
  const std::int32_t first = launch_.spec.form == JobForm::Batch ? 0 : grant.first_rank;
  std::vector<std::int32_t> ranks;
  for (std::int32_t i = 0; i < count; ++i) ranks.push_back(first + i);
  return ranks;
}

// Returns the ranks whose saved files this node verifies before it resumes. The ranks that saved
// the checkpoint are divided among the ranks of this attempt; the two numbers may differ.
std::vector<std::int32_t> Supervision::ranks_to_verify() const {
  if (!launch_.resume) return {};
  const bool only_rank0_saves = launch_.spec.checkpoint_by == CheckpointBy::Rank0;
  const std::int32_t ranks_now = all_ranks(launch_.spec, launch_.nodes);
  const std::int32_t saved_ranks = launch_.resume_ranks > 0 ? launch_.resume_ranks : ranks_now;
  // The checkpoint is this job's own. Of another job's, resume_ranks counts the ranks that saved.
  const bool is_own = launch_.resume->job == JobId{};
  const std::int32_t saved_by = only_rank0_saves && is_own ? 1 : saved_ranks;
  std::vector<std::int32_t> ranks;
  for (const std::int32_t own : ranks_here())
    for (std::int32_t rank = own; rank < saved_by; rank += ranks_now) ranks.push_back(rank);
  return ranks;
}

// Returns until when it is certain that the controller has not given the job to another node: it
// waits node_timeout after it has heard of this node. None: it may have. Without leases, or with a
// controller of the previous version, this is not known; then nothing is waited for.
std::optional<Boot> Supervision::empty_output_until() const {
  if (launch_.lease_ms == 0 || launch_.node_timeout_ms == 0) return Boot::max();
  if (!contact_) return std::nullopt;
  return *contact_ + Milliseconds{launch_.node_timeout_ms};
}

// If the controller may have given the job to another node by now, waits for its next answer or the
// end of the lease: what is emptied here could be what the job writes there.
void Supervision::prepare(Now now) {
  if (status_.phase != NodePhase::Preparing) return;
  const auto until = empty_output_until();
  waits_for_contact_ = empties_output() && (!until || now.boot >= *until);
  if (waits_for_contact_) return;
  PrepareNode prepare;
  prepare.reserve_port = launch_.node_index == 0;
  prepare.ranks = ranks_here();
  prepare.verify_all = launch_.resume && launch_.spec.form == JobForm::Batch &&
                       launch_.spec.checkpoint_by == CheckpointBy::AllRanks &&
                       launch_.node_index == 0;
  if (!prepare.verify_all) prepare.verify_ranks = ranks_to_verify();
  if (empties_output()) prepare.empty_output_until = until;
  before_publish_.push_back(prepare);
}

// A stop during the prolog takes effect only when the prolog has ended: the epilog can undo only a
// complete prolog.
void Supervision::handle(const NodeProgramEnded& ended, Now now) {
  const NodeProgram which = std::exchange(program_, NodeProgram::None);
  if (which == NodeProgram::None) return;
  if (status_.site_error.empty()) status_.site_error = ended.error;
  if (which == NodeProgram::Epilog) {
    if (!ended.error.empty()) add_note(ended.error);
    return become_gone();
  }
  if (leaves_) return run_epilog();
  if (ended.error.empty()) return prepare(now);
  refusal_ = PrepareFailed{{ended.error, ""}, true};
  leave();
}

void Supervision::leave() {
  leaves_ = true;
  end_live_steps("");
  before_publish_.push_back(AbandonFileWork{});
  if (program_ == NodeProgram::None) run_epilog();
}

void Supervision::run_epilog() {
  if (launch_.site.epilog.empty()) return become_gone();
  program_ = NodeProgram::Epilog;
  before_publish_.push_back(RunNodeProgram{program_});
}

// Reports the phase Gone. A refused launch is reported only now, because the controller assumes
// that a node that refused is empty.
void Supervision::become_gone() {
  status_.phase = NodePhase::Gone;
  if (refusal_) {
    status_.refused = refusal_->why.fact.empty() ? "cannot be prepared" : refusal_->why.fact;
    status_.node_at_fault = refusal_->node_at_fault;
    status_.resume_fault = refusal_->resume_fault;
    status_.resume_damaged = refusal_->resume_fault == ResumeFault::Differs;
  }
  after_publish_.push_back(Finish{});
}

}  // namespace cox
