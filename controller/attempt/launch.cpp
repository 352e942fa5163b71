#include "controller/attempt/launch.h"

#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/attempt/attempt.h"
#include "controller/ledger/site_runs.h"

namespace cox {
namespace {

void send_launch(Reaction& r, JobId id) {
  r.soft_state().edit(id).launch = JobContact::Launch::Sent;
  const Attempt attempt = *r.cluster().job(id)->live_attempt();
  for (const AttemptNode& n : attempt.nodes) resend_to_node(r, id, n.grant.node);
}

// Undoes the launch: a batch job is requeued. An allocation is cancelled, as in Slurm, since its
// user waits for it.
void undo_launch(Reaction& r, JobId id, const std::string& why) {
  const bool is_allocation = r.cluster().job(id)->job.spec->form == JobForm::Allocation;
  stop_attempt(r, id,
               {is_allocation ? StopWhy::Cancel : StopWhy::LaunchUndone, false, 0,
                r.cluster().config().kill_wait.count(), why},
               "controller");
  advance(r, id);
}

}  // namespace

void begin_launch(Reaction& r, JobId id) {
  if (r.cluster().config().prolog_program.empty()) return send_launch(r, id);
  JobContact& contact = r.soft_state().edit(id);
  contact.launch = JobContact::Launch::AwaitsProlog;
  contact.prolog_asked = Boot{};
  ask_for_prolog(r, id);
}

void on_site_run_ended(Reaction& r, const SiteRunEnded& ended) {
  const JobId id = ended.key.job;
  const JobEntry* e = r.cluster().job(id);
  if (e == nullptr) return;
  const std::string error =
      printable(std::string_view(ended.error).substr(0, limits::reason_bytes_max));
  if (ended.what == SiteRun::What::Epilog) {
    if (!error.empty()) r.note(id, "epilog", "epilog_program failed: " + error, "controller");
    return;
  }
  const Attempt* live = e->live_attempt();
  if (live == nullptr || live->key != ended.key || !awaits_prolog(r.cluster(), *e)) return;
  if (!error.empty()) return undo_launch(r, id, "prolog_program failed: " + error);
  r.restart_preparing(id);
  send_launch(r, id);
}

}  // namespace cox
