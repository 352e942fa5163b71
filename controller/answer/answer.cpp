#include "controller/answer/answer.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "common/base/limits.h"
#include "common/job/job_ref.h"
#include "common/job/output_path.h"
#include "common/job/save_words.h"
#include "common/messages/job_summary_views.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/react_silence.h"
#include "controller/attempt/rival.h"
#include "controller/feed/engine_input.h"
#include "controller/ledger/checkpoints.h"
#include "controller/ledger/resume.h"
#include "controller/scheduling/ineligible.h"
#include "controller/state/node_health.h"
#include "controller/state/reservations.h"

namespace cox {
namespace {

std::int64_t ran_ms(const JobEntry& e, Now now) {
  return e.attempts.empty() ? 0 : run_time(e.attempts.back(), now.wall).count();
}

// Returns whether the job has run in one of its partitions, so that only that one is shown.
bool has_one_partition(const JobEntry& e) {
  return e.job.state != JobState::Pending && !e.attempts.empty() &&
         !e.attempts.back().partition.empty();
}

// Returns the partition in which the job runs or ran; for a pending job, all partitions it names.
const std::string& partition_text(const JobEntry& e) {
  return has_one_partition(e) ? e.attempts.back().partition : e.job.spec->partition;
}

bool is_in_partition(const JobEntry& e, const std::string& partition) {
  const auto names = [&](const SizeTerms& terms) {
    return std::ranges::find(terms.partitions, partition) != terms.partitions.end();
  };
  const JobTerms& terms = *e.job.spec->terms;
  if (std::ranges::any_of(terms.components, names)) return true;
  return has_one_partition(e) ? e.attempts.back().partition == partition : names(terms);
}

bool wanted(const ListJobs& ask, const JobEntry& e) {
  if (ask.states.empty() && ask.ids.empty() && is_final(e.job.state)) return false;
  if (!ask.states.empty() && std::ranges::find(ask.states, e.job.state) == ask.states.end())
    return false;
  if (!ask.user_name.empty() && ask.user_name != e.job.spec->user_name) return false;
  return ask.partition.empty() || is_in_partition(e, ask.partition);
}

std::size_t rough_bytes(const std::vector<std::string>& words) {
  std::size_t bytes = 0;
  for (const std::string& word : words) bytes += word.size();
  return bytes;
}

// Returns the bytes of those parts of the view that may be long.
std::size_t rough_bytes(const JobView& view) {
  const JobSpec& spec = *view.job.spec;
  std::size_t bytes = rough_bytes(spec.command) + rough_bytes(view.nodes);
  bytes += view.system_comment.size();
  bytes += rough_bytes(spec.nodelist) + rough_bytes(spec.exclude);
  for (const JobSize& one : spec.components)
    bytes += rough_bytes(one.nodelist) + rough_bytes(one.exclude);
  return bytes;
}

// Returns the notes of the nodes as one text, only the first ones if they are long.
std::string notes_text(const std::vector<AttemptNode>& nodes) {
  std::string text;
  for (const AttemptNode& n : nodes)
    if (!n.note.empty() && text.size() < limits::reason_bytes_max)
      text += (text.empty() ? "" : "; ") + n.grant.node + ": " + n.note;
  return text;
}

const Attempt* attempt_asked(const JobEntry& e, AttemptNumber number) {
  if (e.attempts.empty()) return nullptr;
  if (number.value == 0) return &e.attempts.back();
  for (const auto& a : e.attempts)
    if (a.key.attempt == number) return &a;
  return nullptr;
}

// Returns "it has attempts 1 to 3". REQUIRES: there is an attempt.
std::string attempts_text(const std::vector<Attempt>& attempts) {
  const std::string first = std::to_string(attempts.front().key.attempt.value);
  if (attempts.size() == 1) return "it has one attempt: " + first;
  return "it has attempts " + first + " to " + std::to_string(attempts.back().key.attempt.value);
}

// Returns the refusal for the log of an attempt that has not run. Names the newest attempt that
// has. `asked`: null: the job has no attempt.
Refusal has_not_run(const JobEntry& e, const Attempt* asked) {
  const std::string job = command_id(e.job);
  const auto ran = [](const Attempt& a) { return a.went != Wall{}; };
  const auto newest = std::find_if(e.attempts.rbegin(), e.attempts.rend(), ran);
  if (asked == nullptr || newest == e.attempts.rend())
    return {"job " + job + " has not run yet", "see `cox why " + job + "`"};
  const std::string number = std::to_string(newest->key.attempt.value);
  return {"attempt " + std::to_string(asked->key.attempt.value) + " of job " + job + " has not run",
          "`cox logs -a " + number + " " + job + "` shows the output of attempt " + number +
              ", the newest that has; see also `cox why " + job + "`"};
}

// The file that a rank of an attempt writes to.
struct LogFile {
  std::string node;
  std::string path;
  std::optional<std::int64_t> from;  // byte at which the attempt's part begins
};

// Returns where the rank that `ask` names writes its output or its errors. REQUIRES: the attempt
// has the rank.
LogFile log_file(const JobEntry& e, const Attempt& attempt, const LocateLog& ask) {
  std::size_t index = 0;
  if (e.job.spec->form == JobForm::Gang)
    while (ask.rank >= attempt.nodes[index].grant.first_rank + attempt.nodes[index].grant.ranks)
      ++index;
  const std::string& node = attempt.nodes[index].grant.node;
  const OutputPlace where{
      attempt.key,     node, static_cast<std::int32_t>(index), ask.rank, e.job.array_job,
      e.job.array_task};
  const RankStatus& rank = attempt.ranks[static_cast<std::size_t>(ask.rank)];
  if (ask.error_stream) return {node, error_path(*e.job.spec, where), rank.error_from};
  return {node, output_path(*e.job.spec, where), rank.output_from};
}

// Returns where the attempt's part of the file ends: where the part of the next attempt that writes
// to the same file begins. Nothing: there is no such attempt.
std::optional<std::int64_t> end_of_part(const JobEntry& e, const LogPlace& place,
                                        const LocateLog& ask) {
  for (const Attempt& later : e.attempts) {
    const bool has_rank = static_cast<std::size_t>(ask.rank) < later.ranks.size();
    if (later.key.attempt <= place.attempt || !has_rank) continue;
    const LogFile file = log_file(e, later, ask);
    if (file.path == place.path && file.from) return file.from;
  }
  return std::nullopt;
}

PartitionView partition_view(const Cluster& cluster, const PartitionConfig& p, Wall at) {
  const Partition& now = cluster.partitions().row(p.name);
  PartitionView view;
  view.name = p.name;
  view.time_limit_max_s = p.time_limit_max_s;
  view.state = now.state;
  view.reason = now.reason;
  view.changed = now.changed;
  view.is_default = p.is_default;
  view.time_limit_default_s = p.time_limit_default_s;
  view.priority_tier = p.priority_tier;
  view.priority = p.priority;
  view.min_nodes = p.min_nodes;
  view.max_nodes = p.max_nodes;
  view.max_memory_mb_per_node = p.max_memory_mb_per_node;
  view.allow_accounts = p.allow_accounts;
  view.deny_accounts = p.deny_accounts;
  view.allow_qos = p.allow_qos;
  view.deny_qos = p.deny_qos;
  for (const AllowedGroup& group : p.allow_groups) view.allow_groups.push_back(group.name);
  view.qos = p.qos;
  view.preempt_mode = p.preempt_mode;
  view.exclusive = p.exclusive;
  view.memory_mb_per_cpu_default = p.memory_mb_per_cpu_default;
  view.tres_billing_weights = p.tres_billing_weights;
  if (p.hours.empty()) return view;
  const WeekHours& hours = cluster.config().hours.at(p.hours);
  view.hours = p.hours + ": " + format_week_hours(hours);
  view.closed = !cluster.partitions().is_open(p);
  view.turns = next_turn(hours, at);
  return view;
}

void add_gres(std::vector<GresCount>& sums, const std::vector<GresCount>& more) {
  for (const GresCount& one : more) {
    const auto alike = std::ranges::find_if(
        sums, [&](const GresCount& sum) { return sum.name == one.name && sum.type == one.type; });
    if (alike == sums.end()) {
      sums.push_back(one);
    } else {
      alike->count += one.count;
    }
  }
}

// Returns whether the next start of a pending job is from a checkpoint of another job. A job that
// is held because of that checkpoint has a text of its own.
bool begins_from_another(const JobEntry& e) {
  return e.job.spec->resume_from.job != JobId{} && e.checkpoint_to_resume() == nullptr &&
         !is_held_for_source(e.job);
}

}  // namespace

decltype(Reply::body) log_place(const Cluster& cluster, const JobEntry& e, const LocateLog& ask) {
  const std::string job = command_id(e.job);
  const Attempt* attempt = attempt_asked(e, ask.attempt);
  if (attempt == nullptr && !e.attempts.empty())
    return Refused{{"job " + job + " has no attempt " + std::to_string(ask.attempt.value),
                    attempts_text(e.attempts)}};
  if (attempt == nullptr || attempt->went == Wall{}) return Refused{has_not_run(e, attempt)};
  if (attempt->ranks.empty())
    return Refused{
        {"job " + job + " is an allocation of salloc or srun, which has no log of its own",
         "the output of its steps went to srun, or to the files of srun's --output"}};
  if (ask.rank < 0 || static_cast<std::size_t>(ask.rank) >= attempt->ranks.size())
    return Refused{{"job " + job + " has ranks 0 to " + std::to_string(attempt->ranks.size() - 1),
                    "name one of them with -r"}};
  const LogFile file = log_file(e, *attempt, ask);
  LogPlace place;
  place.job = e.job.id;
  place.attempt = attempt->key.attempt;
  place.node = file.node;
  place.path = file.path;
  if (const Node* node = cluster.node(place.node)) {
    place.endpoint = node->log_endpoint;
    place.key = node->log_key;
  }
  place.live = attempt->ended == Wall{};
  place.ranks = static_cast<std::int32_t>(attempt->ranks.size());
  place.from = file.from.value_or(0);
  place.to = end_of_part(e, place, ask);
  return place;
}

JobView view_of(const Cluster& cluster, const JobEntry& e, Now now) {
  JobView view;
  view.job = e.job;
  view.partition = partition_text(e);
  if (e.is_eligible()) view.priority = e.priority;
  if (const CronLine* line = cluster.crontabs().line_of(e.job.id))
    view.crontab_spec = line->schedule;
  view.ran_ms = ran_ms(e, now);
  if (!e.attempts.empty() && e.job.state != JobState::Pending) {
    view.system_comment = notes_text(e.attempts.back().nodes);
    view.progress = e.attempts.back().progress;
    for (const auto& n : e.attempts.back().nodes) {
      view.nodes.push_back(n.grant.node);
      view.ranks += n.grant.ranks;
      view.cpus += n.grant.cpus;
      view.memory_mb += n.grant.memory_mb;
      view.gpus += std::ssize(n.grant.gpus);
    }
  }
  if (const auto limit = cluster.deadlines().of(e.job.id).limit)
    view.left_ms = std::max<std::int64_t>(0, (*limit - now.boot).count());
  const bool suspended = e.job.state == JobState::Suspended;
  if (e.job.state != JobState::Pending && !suspended) return view;
  if (!suspended && begins_from_another(e)) view.system_comment = next_begin_text(cluster, e);
  const PendingReason& pending = cluster.soft().pending_reason_of(e.job.id);
  // A queued job that no scheduling pass has considered yet is shown with reason Priority.
  const WaitReason reason =
      pending.reason == WaitReason::None ? WaitReason::Priority : pending.reason;
  const auto ineligible = why_ineligible(cluster, e.job, now);
  view.reason = ineligible ? ineligible->reason : reason;
  view.reason_detail = ineligible ? ineligible->detail : pending.detail;
  if (ineligible && ineligible->until) view.expected_start = *ineligible->until;
  if (pending.expected_start && !ineligible)
    view.expected_start = now.wall + (*pending.expected_start - now.boot);
  view.at_the_earliest = pending.at_the_earliest && !ineligible;
  return view;
}

namespace {

// Returns the text about a lost checkpoint in the outcome of the newest attempt; nullopt if that
// has none or still runs. For a job that is COMPLETED or CANCELLED nothing is shown.
std::optional<std::string> newest_lost_save(const JobEntry& e) {
  const JobState state = e.job.state;
  const bool is_over = state == JobState::Completed || state == JobState::Cancelled;
  if (e.attempts.empty() || e.live_attempt() != nullptr || is_over) return std::nullopt;
  // Read from the stored outcome, which was made when the attempt ended: its checkpoints may have
  // been removed since.
  std::string lost = lost_save_in(e.attempts.back().outcome);
  if (lost.empty()) return std::nullopt;
  return lost;
}

// Returns a line for a gang of which a rank has failed, while a lost node may still turn out to be
// the cause; otherwise nothing.
std::optional<std::string> settling_text(const Cluster& cluster, const JobEntry& e, Now now) {
  const Attempt* attempt = e.live_attempt();
  if (attempt == nullptr || e.job.state != JobState::Completing || !is_failed_gang(*attempt))
    return std::nullopt;
  const Milliseconds left = cluster.deadlines().of(e.job.id).settle - now.boot;
  if (left <= Milliseconds{0}) return std::nullopt;
  return "Coxswain waits up to " + std::to_string((left.count() + 999) / 1000) +
         " s before the job ends FAILED, in case a node turns out to be lost: " +
         attempt->stop.detail;
}

}  // namespace

JobDetail detail_of(const Cluster& cluster, const JobEntry& e, Now now) {
  JobDetail detail;
  detail.view = view_of(cluster, e, now);
  detail.attempts = e.attempts;
  detail.checkpoints = e.checkpoints;
  detail.change_count = e.change_count;
  detail.job_checkpoint_dir = checkpoint_dir_of(cluster, e.job.id, e.job.identity);
  if (e.is_eligible()) detail.priority_parts = priority_parts(cluster, e, now.wall);
  if (e.job.state == JobState::Pending) detail.first_after_s = first_after_s(cluster, e, now.wall);
  if (e.job.state == JobState::Pending || e.job.state == JobState::Suspended)
    detail.why = cluster.soft().pending_reason_of(e.job.id).lines;
  std::ranges::move(silence_lines(cluster, e, now), std::back_inserter(detail.why));
  if (auto settling = settling_text(cluster, e, now)) detail.why.push_back(std::move(*settling));
  if (const auto ineligible = why_ineligible(cluster, e.job, now))
    detail.why = {ineligible_text(*ineligible)};
  if (const auto lost = newest_lost_save(e)) detail.why.push_back(*lost);
  if (e.job.state == JobState::Pending && !damaged_text(e).empty())
    detail.why.push_back(next_begin_text(cluster, e));
  if (const std::string refusal = cluster.soft().database_refusal.writes_text();
      !refusal.empty() && !is_final(e.job.state))
    detail.why.insert(detail.why.begin(), "PostgreSQL " + refusal);
  return detail;
}

NodeList nodes_of(const Cluster& cluster, Now now) {
  NodeList list;
  for (const auto& p : cluster.config().partitions)
    list.partitions.insert(p.is_default ? list.partitions.begin() : list.partitions.end(),
                           partition_view(cluster, p, now.wall));
  const auto reserved = reserved_now(cluster, now);
  for (const auto& [name, node] : cluster.nodes().all()) {
    NodeView view;
    view.node = node;
    std::set<std::int32_t> gpus;  // a set, since jobs may share a GPU
    for (const JobId id : cluster.jobs().on_node(name)) {
      const Attempt& attempt = *cluster.job(id)->live_attempt();
      for (const auto& n : attempt.nodes) {
        if (n.grant.node != name || !holds_room(attempt, n)) continue;
        view.jobs.push_back(id);
        view.job_names.push_back(command_id(cluster.job(id)->job));
        if (!is_suspended(attempt)) view.cpus_used += n.grant.cpus;
        view.memory_mb_used += n.grant.memory_mb;
        gpus.insert(n.grant.gpus.begin(), n.grant.gpus.end());
        add_gres(view.gres_used, cluster.requests().of_spec(cluster.job(id)->job.spec)->gres);
      }
    }
    view.gpus_used = std::ssize(gpus);
    for (const auto& p : cluster.config().partitions)
      if (p.nodes.empty() || std::ranges::find(p.nodes, name) != p.nodes.end())
        view.partitions.push_back(p.name);
    if (const auto on = reserved.find(name); on != reserved.end())
      for (const AdvanceReservation* r : on->second) {
        view.reservations.push_back(r->name);
        view.maint = view.maint || r->maint;
      }
    view.failure_score = failure_score(node, now.wall);
    const NodeContact& live = cluster.soft().contact(name);
    view.silent_ms = live.session.empty() ? -1 : (now.boot - live.last_contact).count();
    view.second_worker = rival_text(live, now.boot);
    const bool returns = !node.responding && view.silent_ms >= 0;
    if (returns && !is_silent(cluster, name, now.boot))
      view.beats_to_return = std::max<std::int64_t>(
          1, beats_required(node, cluster.config(), now.wall) - live.good_beats);
    if (node.responding && live.load) {
      view.load = live.load;
      view.load_at = now.wall - (now.boot - live.load_at);
    }
    list.nodes.push_back(std::move(view));
  }
  return list;
}

LicenceList licences_of(const Cluster& cluster) {
  LicenceList list;
  for (const LicenceCount& licence : cluster.config().scheduling.licences)
    list.licences.push_back({licence.name, licence.count, 0, {}, {}});
  for (const JobId id : cluster.jobs().live()) {
    const auto request = cluster.requests().of_spec(cluster.job(id)->job.spec);
    for (const LicenceCount& held : request->licences) {
      const auto licence = std::ranges::find(list.licences, held.name, &LicenceView::name);
      // The licence was removed from the configuration after the job had started.
      if (licence == list.licences.end()) continue;
      licence->used += held.count;
      licence->jobs.push_back(id);
      licence->job_names.push_back(command_id(cluster.job(id)->job));
    }
  }
  return list;
}

namespace {

// Returns the rows of all ids and tasks of the request; adds ids without a row to list.unknown.
std::set<JobId> rows_named(const Cluster& cluster, const ListJobs& ask, JobList& list) {
  std::set<JobId> rows;
  for (std::size_t i = 0; i < ask.ids.size(); ++i) {
    const JobEntry* e = cluster.job(ask.ids[i]);
    const auto named = selected_rows(cluster, ask.ids[i], i < ask.tasks.size() ? ask.tasks[i] : "");
    if (e == nullptr || named.empty()) list.unknown.push_back(ask.ids[i]);
    rows.insert(named.begin(), named.end());
  }
  return rows;
}

}  // namespace

std::set<JobId> selected_rows(const Cluster& cluster, JobId id, const std::string& tasks) {
  const JobEntry* e = cluster.job(id);
  if (e == nullptr) return {};
  if (tasks.empty() && !is_first_of_array(e->job)) return {id};
  if (tasks.empty()) return cluster.jobs().arrays().rows(id);
  std::set<JobId> rows;
  if (const auto asked = parse_array_tasks(tasks))
    for (const std::int64_t task : asked->all())
      if (const auto row = cluster.jobs().arrays().row_of(id, task)) rows.insert(*row);
  return rows;
}

JobList list_jobs(const Cluster& cluster, const ListJobs& ask, Now now) {
  JobList list;
  std::size_t bytes = 0;
  const auto add = [&](const JobEntry& e) {
    if (!wanted(ask, e)) return;
    list.more = list.jobs.size() == limits::page_rows_max ||
                list.brief.size() == limits::brief_rows_max || bytes > limits::page_bytes_max;
    if (list.more) return;
    JobView view = view_of(cluster, e, now);
    bytes += ask.brief ? rough_bytes(view.nodes) + e.job.spec->name.size() : rough_bytes(view);
    if (ask.brief)
      list.brief.push_back(summary_of(view));
    else
      list.jobs.push_back(std::move(view));
  };
  if (!ask.ids.empty()) {
    const std::set<JobId> rows = rows_named(cluster, ask, list);
    for (auto at = rows.upper_bound(ask.after); at != rows.end() && !list.more; ++at)
      add(*cluster.job(*at));
    return list;
  }
  for (const auto& [id, entry] : cluster.jobs().all_above(ask.after)) {
    if (list.more) break;
    add(entry);
  }
  return list;
}

}  // namespace cox
