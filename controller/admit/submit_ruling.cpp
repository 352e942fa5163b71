#include "controller/admit/submit_ruling.h"

#include <memory>
#include <utility>

#include "common/base/text.h"
#include "controller/admit/submit_program_text.h"

namespace cox {
namespace {

// Sets the proven identity of the submitter. Rules do not see what the request claims.
void resolve_submitter(const Cluster& cluster, const Caller& caller, JobSpec& spec) {
  spec.user_name = caller.user_name;
  spec.uid = caller.uid;
  spec.gid = caller.gid;
  if (!cluster.accounting().accounts().are_used()) return;
  spec.account = lower_case(spec.account);
  if (spec.account.empty())
    spec.account = cluster.accounting().accounts().default_of(caller.user_name);
}

Failure apply_changes(const SubmitVerdict& verdict, SubmitRuling& ruling) {
  for (std::size_t i = 0; i < verdict.changes.size(); ++i) {
    JobSpec& spec = ruling.specs[i];
    const JobSpec before = spec;
    for (const auto& [field, value] : verdict.changes[i])
      if (auto f = set_submit_value(spec, *field, value)) return f;
    for (const std::string& change : submit_changes(before, spec))
      ruling.lines.push_back("submit_program: sets " + change);
  }
  return std::nullopt;
}

// Handles a failure of the program: refuses the submission, unless submit_without_program is set.
void take_failure(const ControllerConfig& config, const std::string& why, SubmitRuling& ruling) {
  ruling.failed = "submit_program failed: " + why;
  ruling.lines.push_back(ruling.failed);
  if (!config.submit_without_program)
    ruling.refused = Refusal{ruling.failed + "; nothing was submitted",
                             "try again; if it persists, ask the administrator of this cluster"};
}

void take_answer(const ControllerConfig& config, const SubmitAnswer& answer, SubmitRuling& ruling) {
  if (!answer.error.empty()) return take_failure(config, answer.error, ruling);
  const auto verdict = submit_verdict_from(answer.text, ruling.specs.size());
  if (!verdict) return take_failure(config, verdict.refusal().fact, ruling);
  ruling.note = verdict->note;
  if (!verdict->refuse.empty()) {
    ruling.lines.push_back("submit_program: refuses the job");
    ruling.refused = Refusal{verdict->refuse, verdict->note};
    return;
  }
  const std::size_t lines_before = ruling.lines.size();
  ruling.refused = apply_changes(*verdict, ruling);
  if (ruling.lines.size() == lines_before)
    ruling.lines.emplace_back("submit_program: accepts the job");
  if (!ruling.note.empty())
    ruling.lines.push_back("submit_program: the user is shown: " + ruling.note);
}

}  // namespace

SubmitRuling rule_submission(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                             std::span<const JobSpec> specs, const std::string& script,
                             bool is_dry_run) {
  const ControllerConfig& config = r.cluster().config();
  SubmitRuling ruling;
  ruling.specs.assign(specs.begin(), specs.end());
  const bool has_none = config.submit_rules.empty() && config.submit_program.empty();
  // Only the cluster owner may submit; admission refuses other users later. The rules and the
  // program do not run for their requests.
  if (has_none || incoming.caller.uid != config.owner_uid) return ruling;
  for (JobSpec& spec : ruling.specs) {
    resolve_submitter(r.cluster(), incoming.caller, spec);
    ruling.refused =
        apply_submit_rules(config.submit_rules, spec, is_dry_run ? &ruling.lines : nullptr);
    if (ruling.refused) return ruling;
  }
  if (config.submit_program.empty()) return ruling;
  if (incoming.submit_answer) {
    take_answer(config, *incoming.submit_answer, ruling);
    return ruling;
  }
  ruling.waits = true;
  r.verdicts.push_back(
      {std::make_shared<PeerMessage>(incoming), number,
       submission_text(config.cluster_name, incoming.caller, ruling.specs, script, is_dry_run)});
  return ruling;
}

bool may_continue(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                  const SubmitRuling& ruling) {
  if (ruling.refused) r.reply(incoming.peer, number, Refused{*ruling.refused});
  return !ruling.refused && !ruling.waits;
}

}  // namespace cox
