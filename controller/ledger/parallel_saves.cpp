#include "controller/ledger/parallel_saves.h"

#include <algorithm>
#include <vector>

#include "common/job/job_ref.h"
#include "common/job/save_words.h"

namespace cox {
namespace {

std::vector<const Step*> steps_that_saved(const JobEntry& entry, AttemptKey key) {
  const auto has_saved = [](const StepNode& node) { return !node.saved.empty(); };
  std::vector<const Step*> found;
  for (const Step& step : entry.steps)
    if (step.key.attempt == key && std::ranges::any_of(step.nodes, has_saved))
      found.push_back(&step);
  return found;
}

// Returns for how long two job steps that have ended ran at the same time; below 0: they did not.
Milliseconds time_together(const Step& a, const Step& b) {
  return std::min(a.ended, b.ended) - std::max(a.started, b.started);
}

// Returns which job steps of the ended attempt saved, or were refused that, beside each other; ""
// if none did.
std::string parallel_saves_text(const JobEntry& entry, const Attempt& attempt,
                                Milliseconds report_delay_max) {
  for (const AttemptNode& node : attempt.nodes)
    if (std::string refused = refused_beside_in(node.note); !refused.empty()) return refused;
  const std::vector<const Step*> saved = steps_that_saved(entry, attempt.key);
  for (std::size_t i = 0; i < saved.size(); ++i)
    for (std::size_t k = i + 1; k < saved.size(); ++k)
      if (time_together(*saved[i], *saved[k]) > report_delay_max)
        return "job steps " + std::to_string(saved[i]->key.number) + " and " +
               std::to_string(saved[k]->key.number) +
               " ran at the same time and have both saved, but a job has one checkpoint";
  return "";
}

}  // namespace

void hold_for_parallel_saves(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  const Attempt& attempt = e.attempts.back();
  const Checkpoint* next = e.checkpoint_to_resume();
  // If its owner has chosen the checkpoint to resume from, the job is not held.
  if (next == nullptr || attempt.saves_set_aside || !e.job.held_why->empty()) return;
  const std::string saves = parallel_saves_text(e, attempt, r.cluster().config().node_timeout);
  if (saves.empty()) return;
  const std::string why =
      saves + "; the checkpoint of step " + std::to_string(next->step) +
      " has the work of only one of them. Run each training as a job of its own, for example as a "
      "task of a job array. `cox release --begin-anew " +
      command_id(e.job) + "` starts the job without its checkpoints";
  r.edit(id, [&](Job& job) {
    job.held = true;
    job.held_why = why;
  });
  r.note(id, "hold", why, "controller");
}

}  // namespace cox
