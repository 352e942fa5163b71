// The part of Supervision that runs the prolog and the epilog of the node around an attempt, and
// that ends the attempt on this node.
#include <utility>

#include "worker/supervisor/supervision.h"

namespace cox {

using namespace supervisor;

// A stop during the prolog takes effect only when the prolog has ended: the epilog can undo only a
// complete prolog.
void Supervision::handle(const NodeProgramEnded& ended, Now) {
  const NodeProgram which = std::exchange(program_, NodeProgram::None);
  if (which == NodeProgram::None) return;
  if (status_.site_error.empty()) status_.site_error = ended.error;
  if (which == NodeProgram::Epilog) {
    if (!ended.error.empty()) add_note(ended.error);
    return become_gone();
  }
  if (leaves_) return run_epilog();
  if (ended.error.empty()) return prepare();
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
