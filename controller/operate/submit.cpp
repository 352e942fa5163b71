#include "controller/operate/submit.h"

#include <span>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/syntax/partition_list.h"
#include "controller/admit/add_job.h"
#include "controller/admit/check_reservation.h"
#include "controller/admit/input_checks.h"
#include "controller/scheduling/update_dependants.h"

namespace cox {

namespace {

Failure check_job_count(std::size_t count) {
  if (count > 0 && count <= limits::jobs_per_request_max) return std::nullopt;
  return Refusal{"the request has " + std::to_string(count) + " jobs; it may have 1 to " +
                     std::to_string(limits::jobs_per_request_max),
                 "send them in several requests"};
}

Result<std::vector<Admitted>> admit_all(const Cluster& cluster, EngineFeed& feed,
                                        const PeerMessage& incoming, const SubmitJobs& submit,
                                        std::span<const JobSpec> specs, const Payload& payload,
                                        Now now) {
  const std::size_t count = specs.size();
  std::int64_t tasks = 0;
  for (const JobSpec& asked : specs) {
    const std::int64_t count_of_array = tasks_asked(asked.array);
    if (auto f = check_array_size(cluster, count_of_array)) return *f;
    tasks += count_of_array;
  }
  if (auto f = check_request(cluster, submit.request_id, tasks)) return *f;
  const Admission admission(cluster, feed, incoming.caller, payload, now);
  std::vector<Admitted> all;
  all.reserve(count);
  InRequest in_request;
  const auto refused = [&](const Refusal& why) {
    return Refusal{"job " + std::to_string(all.size() + 1) + " of " + std::to_string(count) + ": " +
                       why.fact + "; none of them was accepted",
                   why.hint};
  };
  Result<Shared<ParsedSpec>> spec = Shared<ParsedSpec>();
  for (const JobSpec& asked : specs) {
    // Equal specifications, one after another, are validated once.
    const bool is_new = all.empty() || asked != specs[all.size() - 1];
    if (is_new) spec = admit_spec(cluster, admission, asked);
    if (!spec) return refused(spec.refusal());
    auto admitted = admit_one(cluster, *spec, incoming.recalled, in_request, now);
    if (!admitted) return refused(admitted.refusal());
    all.push_back(std::move(*admitted));
  }
  return all;
}

Failure check_dependencies(const PeerMessage& incoming, std::span<const JobSpec> specs) {
  std::size_t bytes = 0;
  for (const JobSpec& spec : specs) bytes += spec.dependency.size();
  if (bytes > limits::dependency_bytes_per_request_max)
    return Refusal{"the dependencies of all jobs of the request have " + std::to_string(bytes) +
                       " bytes; the limit is " +
                       std::to_string(limits::dependency_bytes_per_request_max),
                   "send the jobs in several requests"};
  if (incoming.recalled.size() > limits::recalls_per_request_max)
    return Refusal{"it depends on more than " + std::to_string(limits::recalls_per_request_max) +
                       " jobs that ended long ago, which is the limit",
                   "leave out those that have COMPLETED: they delay nothing"};
  return std::nullopt;
}

}  // namespace

std::string note_on_partitions(const Cluster& cluster, const std::string& asked,
                               const ParsedSpec& spec) {
  std::string note;
  if (asked == spec.partition) return note;
  const std::vector<std::string>& kept = spec.terms->partitions;
  for (const std::string_view name : partition_names(asked)) {
    if (std::ranges::find(kept, name) != kept.end()) continue;
    const Partition& left_out = cluster.partitions().row(std::string(name));
    const std::string why = takes_jobs(left_out.state) ? "does not take this job"
                                                       : "takes no new jobs: it is " +
                                                             std::string(cox::name(left_out.state));
    note += (note.empty() ? "" : "\n") + ("partition " + std::string(name) + " " + why) +
            "; the job can run only in " + spec.partition;
  }
  return note;
}

// Reads one job from the store; the request is then handled again, and reads the next. Also begins
// to index jobs by name if a dependency is `singleton`.
bool recall_dependencies(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                         std::span<const JobSpec> specs) {
  if (incoming.caller.uid != r.cluster().config().owner_uid) return false;  // refused anyway
  if (auto f = check_dependencies(incoming, specs)) {
    r.reply(incoming.peer, number, Refused{*f});
    return true;
  }
  for (const JobSpec& spec : specs) {
    if (spec.dependency.empty()) continue;
    const auto wish = parse_dependency(spec.dependency);
    if (!wish) continue;  // admission refuses it
    if (names_singleton(*wish)) r.follow_names();
    const auto forgotten = forgotten_job(r.cluster(), *wish, incoming.recalled);
    if (!forgotten) continue;
    r.reads.push_back(
        {incoming.peer, number, RecallWanted{*forgotten, std::make_shared<PeerMessage>(incoming)}});
    return true;
  }
  return false;
}

std::string first_request_of(const SubmitJobs& submit) {
  return submit.request_id.empty() ? "" : submit.request_id + "/0";
}

void on_submit(Reaction& r, const PeerMessage& incoming, std::int64_t number,
               const SubmitJob& submit) {
  if (const auto known = r.cluster().jobs().of_request(submit.request_id);
      known && !submit.request_id.empty()) {
    r.reply(incoming.peer, number, Submitted{*known, true, ""});
    return;
  }
  const SubmitRuling ruling =
      rule_submission(r, incoming, number, {&submit.spec, 1}, submit.script, false);
  if (!may_continue(r, incoming, number, ruling)) return;
  const JobSpec& asked = ruling.specs.front();
  const std::int64_t tasks = tasks_asked(asked.array);
  if (auto f = check_array_size(r.cluster(), tasks))
    return r.reply(incoming.peer, number, Refused{*f});
  if (auto f = check_request(r.cluster(), submit.request_id, tasks))
    return r.reply(incoming.peer, number, Refused{*f});
  if (recall_dependencies(r, incoming, number, ruling.specs)) return;
  const Payload payload(submit.script, submit.environment, incoming.caller.uid);
  const Admission admission(r.cluster(), r.feed(), incoming.caller, payload, r.now());
  InRequest in_request;
  const auto spec = admit_spec(r.cluster(), admission, asked);
  if (!spec) return r.reply(incoming.peer, number, Refused{spec.refusal()});
  auto admitted = admit_one(r.cluster(), *spec, incoming.recalled, in_request, r.now());
  if (!admitted) return r.reply(incoming.peer, number, Refused{admitted.refusal()});
  std::vector<std::string> notes{ruling.note,
                                 note_on_partitions(r.cluster(), asked.partition, **spec)};
  const JobId id = add_job(r, std::move(*admitted), submit.request_id, &payload);
  end_if_hopeless(r, id);
  note_ruling_failure(r, id, ruling);
  const std::string in_vain = note_on_dependencies(r.cluster(), id);
  const std::string reserved = note_on_reservations(r.cluster(), r.feed(), id, r.now());
  notes.push_back(in_vain.empty() ? reserved : in_vain);
  std::erase(notes, "");
  r.reply(incoming.peer, number, Submitted{id, false, joined(notes, "\n")});
}

void on_submit_many(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const SubmitJobs& submit) {
  const auto count = static_cast<std::int64_t>(submit.specs.size());
  const std::string first_request = first_request_of(submit);
  if (const auto known = r.cluster().jobs().of_request(first_request);
      known && !first_request.empty())
    return r.reply(incoming.peer, number, SubmittedJobs{*known, count, true});
  if (auto f = check_job_count(submit.specs.size()))
    return r.reply(incoming.peer, number, Refused{*f});
  const SubmitRuling ruling =
      rule_submission(r, incoming, number, submit.specs, submit.script, false);
  if (!may_continue(r, incoming, number, ruling)) return;
  if (recall_dependencies(r, incoming, number, ruling.specs)) return;
  const Payload payload(submit.script, submit.environment, incoming.caller.uid);
  auto all = admit_all(r.cluster(), r.feed(), incoming, submit, ruling.specs, payload, r.now());
  if (!all) return r.reply(incoming.peer, number, Refused{all.refusal()});
  const JobId first = r.cluster().jobs().next_id();
  bool script_attached = false;
  for (Admitted& one : *all) {
    const bool is_first = r.cluster().jobs().next_id() == first;
    const bool attaches_script = !one.spec->script_hash.empty() && !script_attached;
    script_attached = script_attached || attaches_script;
    const JobId id = add_job(r, std::move(one), is_first ? first_request : "",
                             is_first || attaches_script ? &payload : nullptr);
    end_if_hopeless(r, id);
    note_ruling_failure(r, id, ruling);
  }
  r.reply(incoming.peer, number, SubmittedJobs{first, count, false});
}

}  // namespace cox
