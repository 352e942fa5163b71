#include "controller/operate/submit.h"

#include <span>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/syntax/partition_list.h"
#include "controller/admit/add_job.h"
#include "controller/admit/input_checks.h"
#include "controller/scheduling/judge_dependants.h"
#include "controller/state/reservations.h"

namespace cox {

namespace {

// Those it names that do not take it: the job is none of theirs, also when they take jobs again.
std::string note_on_partitions(const Cluster& cluster, const JobSpec& asked, const JobSpec& spec) {
  std::string note;
  for (const std::string_view name : partition_names(asked.partition)) {
    if (names_partition(spec.partition, name)) continue;
    const Partition& left_out = cluster.partition(std::string(name));
    const std::string why = takes_jobs(left_out.state) ? "does not take this job"
                                                       : "takes no new jobs: it is " +
                                                             std::string(cox::name(left_out.state));
    note += (note.empty() ? "" : "\n") + ("partition " + std::string(name) + " " + why) +
            "; the job is in " + spec.partition + " alone, for good";
  }
  return note;
}

Failure check_job_count(std::size_t count) {
  if (count > 0 && count <= limits::jobs_per_request_max) return std::nullopt;
  return Refusal{"the request has " + std::to_string(count) + " jobs; it may have 1 to " +
                     std::to_string(limits::jobs_per_request_max),
                 "send them in several requests"};
}

Result<std::vector<Admitted>> admit_all(const Cluster& cluster, const PeerMessage& said,
                                        const SubmitJobs& submit, std::span<const JobSpec> specs,
                                        const Payload& payload, Now now) {
  const std::size_t count = specs.size();
  std::int64_t tasks = 0;
  for (const JobSpec& asked : specs) {
    if (auto f = check_array_size(cluster, asked)) return *f;
    tasks += tasks_asked(asked.array);
  }
  if (auto f = check_request(cluster, submit.request_id, tasks)) return *f;
  const Admission admission(cluster, said.caller, payload, now);
  std::vector<Admitted> all;
  all.reserve(count);
  InRequest in_request;
  for (const JobSpec& asked : specs) {
    auto admitted = admit_one(cluster, admission, asked, said.recalled, in_request, now);
    if (!admitted)
      return Refusal{"job " + std::to_string(all.size() + 1) + " of " + std::to_string(count) +
                         ": " + admitted.refusal().fact + "; none of them was accepted",
                     admitted.refusal().hint};
    all.push_back(std::move(*admitted));
  }
  return all;
}

Failure check_dependencies(const PeerMessage& said, std::span<const JobSpec> specs) {
  std::size_t bytes = 0;
  for (const JobSpec& spec : specs) bytes += spec.dependency.size();
  if (bytes > limits::dependency_bytes_per_request_max)
    return Refusal{"the dependencies of all jobs of the request have " + std::to_string(bytes) +
                       " bytes; the limit is " +
                       std::to_string(limits::dependency_bytes_per_request_max),
                   "send the jobs in several requests"};
  if (said.recalled.size() > limits::recalls_per_request_max)
    return Refusal{"it depends on more than " + std::to_string(limits::recalls_per_request_max) +
                       " jobs that ended long ago, the limit",
                   "leave out those that have COMPLETED: they hold nothing up"};
  return std::nullopt;
}

}  // namespace

// One is read, and the request judged again. What it takes to judge singletons is made ready too.
bool is_recalling(Reaction& r, const PeerMessage& said, std::int64_t number,
                  std::span<const JobSpec> specs) {
  if (said.caller.uid != r.cluster().config().owner_uid) return false;  // refused anyway
  if (auto f = check_dependencies(said, specs)) {
    r.reply(said.peer, number, Refused{*f});
    return true;
  }
  for (const JobSpec& spec : specs) {
    if (spec.dependency.find("singleton") != std::string::npos) r.soft_state().follow_names();
    const auto forgotten = forgotten_job(r.cluster(), spec, said.recalled);
    if (!forgotten) continue;
    r.reads.push_back(
        {said.peer, number, RecallWanted{*forgotten, std::make_shared<PeerMessage>(said)}});
    return true;
  }
  return false;
}

std::string first_request_of(const SubmitJobs& submit) {
  return submit.request_id.empty() ? "" : submit.request_id + "/0";
}

void on_submit(Reaction& r, const PeerMessage& said, std::int64_t number, const SubmitJob& submit) {
  if (const auto known = r.cluster().job_of_request(submit.request_id);
      known && !submit.request_id.empty()) {
    r.reply(said.peer, number, Submitted{*known, true, ""});
    return;
  }
  const SubmitRuling ruling =
      rule_submission(r, said, number, {&submit.spec, 1}, submit.script, false);
  if (!may_continue(r, said, number, ruling)) return;
  const JobSpec& asked = ruling.specs.front();
  if (auto f = check_array_size(r.cluster(), asked)) return r.reply(said.peer, number, Refused{*f});
  if (auto f = check_request(r.cluster(), submit.request_id, tasks_asked(asked.array)))
    return r.reply(said.peer, number, Refused{*f});
  if (is_recalling(r, said, number, ruling.specs)) return;
  const Payload payload(submit.script, submit.environment, said.caller.uid);
  const Admission admission(r.cluster(), said.caller, payload, r.now());
  InRequest in_request;
  auto admitted = admit_one(r.cluster(), admission, asked, said.recalled, in_request, r.now());
  if (!admitted) return r.reply(said.peer, number, Refused{admitted.refusal()});
  std::vector<std::string> notes{ruling.note,
                                 note_on_partitions(r.cluster(), asked, admitted->spec)};
  const JobId id = add_job(r, std::move(*admitted), submit.request_id, &payload);
  end_if_hopeless(r, id);
  note_unjudged(r, id, ruling);
  const std::string in_vain = note_on_dependencies(r.cluster(), id);
  const std::string reserved = note_on_reservations(r.cluster(), id, r.now());
  notes.push_back(in_vain.empty() ? reserved : in_vain);
  std::erase(notes, "");
  r.reply(said.peer, number, Submitted{id, false, joined(notes, "\n")});
}

void on_submit_many(Reaction& r, const PeerMessage& said, std::int64_t number,
                    const SubmitJobs& submit) {
  const auto count = static_cast<std::int64_t>(submit.specs.size());
  const std::string first_request = first_request_of(submit);
  if (const auto known = r.cluster().job_of_request(first_request); known && !first_request.empty())
    return r.reply(said.peer, number, SubmittedJobs{*known, count, true});
  if (auto f = check_job_count(submit.specs.size())) return r.reply(said.peer, number, Refused{*f});
  const SubmitRuling ruling = rule_submission(r, said, number, submit.specs, submit.script, false);
  if (!may_continue(r, said, number, ruling)) return;
  if (is_recalling(r, said, number, ruling.specs)) return;
  const Payload payload(submit.script, submit.environment, said.caller.uid);
  auto all = admit_all(r.cluster(), said, submit, ruling.specs, payload, r.now());
  if (!all) return r.reply(said.peer, number, Refused{all.refusal()});
  const JobId first = r.cluster().next_job();
  bool script_told = false;
  for (Admitted& one : *all) {
    const bool is_first = r.cluster().next_job() == first;
    const bool tells_script = !one.spec.script_hash.empty() && !script_told;
    script_told = script_told || tells_script;
    const JobId id = add_job(r, std::move(one), is_first ? first_request : "",
                             is_first || tells_script ? &payload : nullptr);
    end_if_hopeless(r, id);
    note_unjudged(r, id, ruling);
  }
  r.reply(said.peer, number, SubmittedJobs{first, count, false});
}

}  // namespace cox
