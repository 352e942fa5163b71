#include "controller/admit/cron.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "common/syntax/cron_schedule.h"
#include "controller/admit/add_job.h"
#include "controller/admit/admit.h"
#include "controller/admit/input_checks.h"
#include "controller/change/payload.h"
#include "controller/ledger/checkpoints.h"

namespace cox {
namespace {

std::optional<Wall> next_time(const Cluster& cluster, const std::string& schedule, Wall after) {
  const auto parsed = parse_cron_schedule(schedule);
  if (!parsed) return std::nullopt;
  return next_cron_time(*parsed, cluster.config().time_zone, after);
}

std::string line_text(const CronLine& line) {
  return "line " + std::to_string(line.last_line) + " of the crontab";
}

// Returns the user whose crontab is meant. Refused if the caller may not access it.
Result<std::string> crontab_owner(const Cluster& cluster, const Caller& caller,
                                  const std::string& user_name) {
  if (user_name.empty() || user_name == caller.user_name) return caller.user_name;
  if (caller.uid == cluster.config().owner_uid) return user_name;
  return Refusal{"only the cluster's own user may access the crontab of another user",
                 "leave --user out for your own"};
}

// Returns the crontab of the user, or null. The caller's own crontab is found by the proven uid.
const Crontab* crontab_of(const Cluster& cluster, const Caller& caller, const std::string& user) {
  const Crontabs& all = cluster.crontabs();
  return user == caller.user_name ? all.of(caller.uid) : all.of_user(user);
}

// Cancels the pending jobs of the lines. REQUIRES: the lines are removed, so no next job follows.
void cancel_waiting(Reaction& r, const std::vector<CronLine>& lines, const std::string& why,
                    const std::string& actor) {
  for (const CronLine& line : lines) {
    if (r.cluster().job(line.job)->job.state != JobState::Pending) continue;
    r.end(line.job, Trigger::EndedCancelled, why, actor);
    settle_checkpoints_of_ended(r, line.job);
  }
}

// Removes the crontab of the user. As in Slurm, a missing crontab is not an error.
void remove_crontab(Reaction& r, const Caller& caller, const std::string& user_name) {
  const Crontab* known = crontab_of(r.cluster(), caller, user_name);
  if (known == nullptr) return;
  const std::uint32_t uid = known->uid;
  const std::vector<CronLine> lines = r.cluster().crontabs().lines_of(uid);
  for (const CronLine& line : lines) r.remove_cron_line(line);
  r.remove_crontab(uid);
  cancel_waiting(r, lines, "its crontab was removed by " + caller.user_name,
                 "user " + caller.user_name);
}

Failure check_text(const UpdateCrontab& ask) {
  if (ask.text.size() > limits::crontab_bytes_max)
    return over("the crontab", ask.text.size(), limits::crontab_bytes_max, "bytes");
  if (ask.lines.size() > limits::crontab_lines_max)
    return over("the crontab", ask.lines.size(), limits::crontab_lines_max, "lines with jobs");
  if (!is_utf8(ask.text) || ask.text.find('\0') != std::string::npos)
    return Refusal{"the crontab is not valid UTF-8, or has a NUL byte", "write it as plain text"};
  std::int32_t before = 0;
  for (const CronLineAsked& line : ask.lines) {
    const bool in_order = line.first_line > before && line.first_line <= line.last_line;
    if (!in_order || line.last_line > line_count(ask.text))
      return Refusal{"the lines " + std::to_string(line.first_line) + " to " +
                         std::to_string(line.last_line) + " are not in this crontab",
                     "send it with scrontab"};
    before = line.last_line;
  }
  return std::nullopt;
}

// Refuses options that make sense only for a single run, because every run of a line has the same.
Failure check_recurring(const JobSpec& spec) {
  const auto refuse = [](const std::string& what) {
    return Refusal{what + " is not allowed in a crontab", "leave it out of the #SCRON lines"};
  };
  if (spec.form != JobForm::Batch) return refuse("anything but a batch job");
  if (!spec.array.empty()) return refuse("--array");
  if (spec.hold) return refuse("--hold");
  if (spec.deadline != Wall{}) return refuse("--deadline");
  if (!spec.components.empty()) return refuse("a heterogeneous job");
  if (spec.resume_from.job != JobId{}) return refuse("--resume-from");
  if (!spec.dependency.empty() && spec.dependency != "singleton")
    return refuse("--dependency (except singleton)");
  return std::nullopt;
}

// A crontab line whose next job was admitted.
struct AdmittedLine {
  CronLine line;
  Payload payload;
  Admitted admitted;
};

// A crontab that is being installed.
struct Updating {
  Reaction& r;
  const PeerMessage& incoming;
  std::int64_t number;
  const UpdateCrontab& ask;
  SubmitRuling ruling = {};
  std::vector<AdmittedLine> admitted = {};
};

Result<AdmittedLine> admit_line(const Updating& u, std::size_t i, InRequest& in_request) {
  const Cluster& cluster = u.r.cluster();
  const Now now = u.r.now();
  const CronLineAsked& asked = u.ask.lines[i];
  const auto schedule = parse_cron_schedule(asked.schedule);
  if (!schedule) return schedule.refusal();
  const auto begin = next_cron_time(*schedule, cluster.config().time_zone, now.wall);
  if (!begin)
    return Refusal{"the schedule " + quoted(asked.schedule) + " never occurs", "change its days"};
  JobSpec spec = u.ruling.specs[i];
  spec.begin = *begin;
  spec.requeue = true;
  if (auto f = check_recurring(spec)) return *f;
  Payload payload(asked.script, asked.environment, u.incoming.caller.uid);
  const Admission admission(cluster, u.r.feed(), u.incoming.caller, payload, now);
  const auto resolved = admit_spec(cluster, admission, spec);
  if (!resolved) return resolved.refusal();
  auto admitted = admit_one(cluster, *resolved, u.incoming.recalled, in_request, now);
  if (!admitted) return admitted.refusal();
  return AdmittedLine{{u.incoming.caller.uid, asked.first_line, asked.last_line,
                       format_cron_schedule(*schedule), JobId{}},
                      std::move(payload),
                      std::move(*admitted)};
}

// Returns the pending jobs of the crontab as a negative number of submissions. They are cancelled
// when the crontab is replaced, so the new ones may take their place within MaxSubmitJobs.
InRequest room_of_present_jobs(const Cluster& cluster, std::uint32_t uid) {
  InRequest in_request;
  for (const CronLine& line : cluster.crontabs().lines_of(uid)) {
    const Job& job = cluster.job(line.job)->job;
    if (job.state != JobState::Pending) continue;
    for (const Qos* qos : cluster.accounting().qos_binding(*job.spec))
      in_request.of_qos[qos->name] -= 1;
    count_submitted(in_request.of_association, cluster.accounting().accounts(), *job.spec, -1);
  }
  return in_request;
}

// Admits all lines. Returns false if a line is refused; then the request has its reply.
bool admit_lines(Updating& u) {
  InRequest in_request = room_of_present_jobs(u.r.cluster(), u.incoming.caller.uid);
  u.admitted.reserve(u.ask.lines.size());
  for (std::size_t i = 0; i < u.ask.lines.size(); ++i) {
    auto admitted = admit_line(u, i, in_request);
    if (admitted) {
      u.admitted.push_back(std::move(*admitted));
      continue;
    }
    const CronLineAsked& line = u.ask.lines[i];
    u.r.reply(
        u.incoming.peer, u.number,
        CrontabUpdated{{}, u.ruling.note, admitted.refusal(), line.first_line, line.last_line});
    return false;
  }
  return true;
}

// Replaces the crontab. It removes the old lines before it cancels their jobs, so that the ended
// jobs have no successors.
void replace_crontab(Updating& u) {
  Reaction& r = u.r;
  const Caller& caller = u.incoming.caller;
  const std::string actor = "user " + caller.user_name;
  const std::vector<CronLine> before = r.cluster().crontabs().lines_of(caller.uid);
  for (const CronLine& line : before) r.remove_cron_line(line);
  r.put(Crontab{caller.uid, caller.user_name, u.ask.text, {}});
  CrontabUpdated updated{{}, u.ruling.note, std::nullopt, 0, 0};
  std::string request_id = first_request_of(u.ask);
  for (AdmittedLine& one : u.admitted) {
    const JobId id =
        add_job(r, std::move(one.admitted), std::exchange(request_id, ""), &one.payload);
    note_ruling_failure(r, id, u.ruling);
    r.note(id, "crontab", line_text(one.line), actor);
    one.line.job = id;
    r.put(one.line);
    updated.jobs.push_back(id);
  }
  cancel_waiting(r, before, "its crontab was replaced by " + caller.user_name, actor);
  r.reply(u.incoming.peer, u.number, std::move(updated));
}

std::vector<JobSpec> specs_of(const UpdateCrontab& ask) {
  std::vector<JobSpec> specs;
  for (const CronLineAsked& line : ask.lines) specs.push_back(line.spec);
  return specs;
}

// Returns whether the crontab may be replaced now. If not, the request has its reply, or it waits
// for submit_program.
bool may_replace(Updating& u) {
  const auto refuse = [&](const Refusal& why) {
    u.r.reply(u.incoming.peer, u.number, Refused{why});
    return false;
  };
  const Cluster& cluster = u.r.cluster();
  if (auto f = check_text(u.ask)) return refuse(*f);
  if (u.ask.lines.empty() && u.incoming.caller.uid != cluster.config().owner_uid)
    return refuse({"this cluster runs only the jobs of its own user", "run scrontab as that user"});
  const auto count = static_cast<std::int64_t>(u.ask.lines.size());
  if (auto f = check_request(cluster, u.ask.request_id, count)) return refuse(*f);
  if (u.ask.lines.empty()) return true;
  const std::vector<JobSpec> specs = specs_of(u.ask);
  u.ruling = rule_submission(u.r, u.incoming, u.number, specs, u.ask.text, false);
  if (!may_continue(u.r, u.incoming, u.number, u.ruling)) return false;
  // The only dependency that a crontab line may have is `singleton`. So no ended jobs need to be
  // read from the database; only the names of jobs must be indexed.
  const auto names_singleton = [](const JobSpec& spec) { return !spec.dependency.empty(); };
  if (std::ranges::any_of(u.ruling.specs, names_singleton)) u.r.follow_names();
  return true;
}

// Returns the reply to a repeated request: the current jobs of the lines.
CrontabUpdated current_crontab(const Cluster& cluster, std::uint32_t uid) {
  CrontabUpdated updated{{}, "", std::nullopt, 0, 0};
  for (const CronLine& line : cluster.crontabs().lines_of(uid)) updated.jobs.push_back(line.job);
  return updated;
}

}  // namespace

std::string first_request_of(const UpdateCrontab& ask) {
  return ask.request_id.empty() || ask.lines.empty() ? "" : ask.request_id + "/0";
}

void on_show_crontab(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                     const ShowCrontab& ask) {
  const auto user = crontab_owner(r.cluster(), incoming.caller, ask.user_name);
  if (!user) return r.reply(incoming.peer, number, Refused{user.refusal()});
  const Crontab* known = crontab_of(r.cluster(), incoming.caller, *user);
  r.reply(incoming.peer, number,
          known == nullptr ? CrontabShown{} : CrontabShown{true, known->text});
}

void on_update_crontab(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                       const UpdateCrontab& ask) {
  const auto user = crontab_owner(r.cluster(), incoming.caller, ask.user_name);
  if (!user) return r.reply(incoming.peer, number, Refused{user.refusal()});
  if (ask.remove) {
    remove_crontab(r, incoming.caller, *user);
    return r.reply(incoming.peer, number, current_crontab(r.cluster(), incoming.caller.uid));
  }
  if (*user != incoming.caller.user_name)
    return r.reply(incoming.peer, number,
                   Refused{{"this cluster runs only the jobs of " + incoming.caller.user_name +
                                "; a crontab of " + printable(*user) + " would never run",
                            ""}});
  const std::string first = first_request_of(ask);
  if (!first.empty() && r.cluster().jobs().of_request(first))
    return r.reply(incoming.peer, number, current_crontab(r.cluster(), incoming.caller.uid));
  Updating updating{r, incoming, number, ask};
  if (may_replace(updating) && admit_lines(updating)) replace_crontab(updating);
}

void submit_next_cron_job(Reaction& r, JobId ended) {
  const CronLine* known = r.cluster().crontabs().line_of(ended);
  if (known == nullptr) return;
  CronLine line = *known;
  const Job last = r.cluster().job(ended)->job;
  ParsedSpec spec = *last.spec;
  const auto begin = next_time(r.cluster(), line.schedule, std::max(r.now().wall, spec.begin));
  if (!begin) {
    end_cron_line(r, ended);
    return r.note(ended, "crontab", line_text(line) + " will not occur again", "controller");
  }
  spec.begin = *begin;
  if (!spec.dependency.empty()) r.follow_names();
  auto waits = dependent(r.cluster(), spec, {}, r.now());
  // A job that can never start would stop its line for ever, so such a job gets no dependencies.
  if (!waits || std::ranges::any_of(waits->dependencies, &Dependency::never))
    waits = Dependent{{}, *begin};
  line.job = add_job(r, {std::move(spec), std::move(*waits)}, "", nullptr);
  r.note(line.job, "crontab", line_text(line) + ", after job " + std::to_string(ended.value),
         "controller");
  r.put(std::move(line));
}

bool postpone_to_next_time(Reaction& r, JobId id) {
  const CronLine* line = r.cluster().crontabs().line_of(id);
  if (line == nullptr) return false;
  ParsedSpec spec = *r.cluster().job(id)->job.spec;
  const auto begin = next_time(r.cluster(), line->schedule, std::max(r.now().wall, spec.begin));
  if (!begin) return false;
  spec.begin = *begin;
  r.respecify(id, std::move(spec));
  r.edit(id, [&](Job& job) { job.eligible = *begin; });
  r.note(id, "crontab", "waits until its next time, " + moment_text(*begin), "controller");
  return true;
}

bool end_cron_line(Reaction& r, JobId id) {
  const CronLine* known = r.cluster().crontabs().line_of(id);
  if (known == nullptr) return false;
  const CronLine line = *known;
  Crontab crontab = *r.cluster().crontabs().of(line.uid);
  crontab.text = with_marked_lines(crontab.text, line.first_line, line.last_line, disabled_mark);
  r.remove_cron_line(line);
  r.put(std::move(crontab));
  return true;
}

Failure check_not_of_crontab(const Cluster& cluster, JobId id) {
  if (cluster.crontabs().line_of(id) == nullptr) return std::nullopt;
  return Refusal{"Cannot modify scrontab jobs through scontrol",
                 "`scrontab -e` changes the job's crontab line"};
}

}  // namespace cox
