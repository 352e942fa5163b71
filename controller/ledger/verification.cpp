#include "controller/ledger/verification.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/ledger/authorisation.h"
#include "controller/ledger/checkpoints.h"
#include "controller/state/counted.h"

namespace cox {
namespace {

std::vector<Checkpoint> wanted_of(const JobEntry& e, std::int64_t step) {
  std::vector<Checkpoint> wanted = e.checkpoints;
  if (step >= 0) std::erase_if(wanted, [&](const Checkpoint& c) { return c.step != step; });
  return wanted;
}

VerifyCheckpoint order_for(const Cluster& cluster, const JobEntry& e, const Checkpoint& c) {
  const KeptCheckpoint kept = kept_of(e, c);
  // Steps of srun may have saved, with any number of tasks.
  const bool is_of_ranks = e.job.spec->form == JobForm::Gang;
  return {cluster.term(),
          c.key,
          c.step,
          folder_of(cluster, kept),
          is_of_ranks ? kept.ranks : 0,
          kept.identity,
          kept.uid,
          e.job.spec->gid};
}

std::string found_text(const CheckpointVerified& report) {
  const std::string what = "the checkpoint of step " + std::to_string(report.step);
  if (report.fault == ResumeFault::None) return what + " verifies";
  const std::string why = ": " + cut_text(printable(report.why), limits::reason_bytes_max);
  return what + (report.fault == ResumeFault::Differs ? " is damaged" : " cannot be read") + why;
}

}  // namespace

Acted verify_checkpoints(Reaction& r, const Caller& caller, const VerifyCheckpoints& ask) {
  const JobEntry* e = r.cluster().job(ask.id);
  const std::string id = e == nullptr ? std::to_string(ask.id.value) : shown_id(e->job);
  const auto refuse = [&](std::string fact, std::string hint) {
    return Acted{{{id, "", Refusal{std::move(fact), std::move(hint)}}}};
  };
  if (e == nullptr)
    return refuse("there is no job " + id + " in the queue",
                  "if it has ended, `cox history " + id +
                      "` shows it; the checkpoints of a job that ended long ago are verified when "
                      "another job begins from them (--resume-from=" +
                      id + ")");
  if (!may_act_on(r.cluster(), caller, e->job))
    return refuse("job " + id + " belongs to " + e->job.spec->user_name, "");
  const std::vector<Checkpoint> wanted = wanted_of(*e, ask.step);
  if (wanted.empty())
    return refuse("job " + id + " has no checkpoint" +
                      (ask.step < 0 ? "" : " of step " + std::to_string(ask.step)),
                  "'cox checkpoints' lists all checkpoints");
  const std::string node = node_for_files(r.cluster(), ask.id);
  if (node.empty())
    return refuse("no node that sees the checkpoint folder responds",
                  "`cox nodes` shows the nodes; ask again when one does");
  for (const Checkpoint& c : wanted) r.send_to_node(node, order_for(r.cluster(), *e, c));
  return Acted{{{id,
                 counted(std::ssize(wanted), "checkpoint") + (wanted.size() == 1 ? " is" : " are") +
                     " being read on " + node + "; `cox history " + command_id(e->job) +
                     "` shows the outcome",
                 {}}}};
}

void on_checkpoint_verified(Reaction& r, const CheckpointVerified& report) {
  const JobEntry* e = r.cluster().job(report.key.job);
  if (e == nullptr) return;
  const auto known = std::ranges::find_if(e->checkpoints, [&](const Checkpoint& c) {
    return c.key == report.key && c.step == report.step;
  });
  if (known == e->checkpoints.end()) return;
  Checkpoint c = *known;
  if (report.fault != ResumeFault::Unreadable) {
    c.damaged = report.fault == ResumeFault::Differs;
    c.damaged_in = c.damaged ? e->job.attempt : AttemptNumber{};
    if (!(c == *known)) r.put(std::move(c));
  }
  r.note(report.key.job, "checkpoint", found_text(report), "node " + report.node);
}

}  // namespace cox
