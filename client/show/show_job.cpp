#include "client/show/show_job.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/progress_text.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/resources/gpu_wish.h"
#include "common/syntax/node_range.h"

namespace cox {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

std::string moment_text(Wall t, const Screen& screen) {
  if (t == Wall{}) return "";
  return ago_text(t, screen) + "  (" + absolute_text(t, screen) + ")";
}

std::string gpus_text(const JobSpec& spec) {
  return format_gpus({{}, spec.gpus_per_node, spec.gpu_milli});
}

// Returns the number of ranks. If the number of nodes is a range, returns a range too, since each
// node has the same number of ranks.
std::string ranks_text(const ParsedSpec& spec) {
  std::optional<NodeRange> range = spec.terms->node_range;
  if (spec.tasks_asked || !range) return std::to_string(spec.tasks);
  const std::int64_t each = spec.tasks / std::max<std::int64_t>(spec.nodes, 1);
  range->least *= each;
  range->most *= each;
  for (std::int64_t& size : range->sizes) size *= each;
  return format_node_range(*range);
}

std::string size_text(const ParsedSpec& spec) {
  std::string out = spec.node_sizes.empty() ? std::to_string(spec.nodes) : spec.node_sizes;
  out += out == "1" ? " node, " : " nodes, ";
  const std::string ranks = ranks_text(spec);
  out += ranks + (ranks == "1" ? " rank, " : " ranks, ");
  out += std::to_string(spec.cpus_per_task) + (spec.cpus_per_task == 1 ? " CPU" : " CPUs");
  out += " a rank";
  if (spec.memory_mb_per_node > 0) out += ", " + memory_text(spec.memory_mb_per_node) + " a node";
  if (spec.gpus_per_node > 0) {
    out += ", " + gpus_text(spec);
    if (!spec.gpu_type.empty()) out += " " + spec.gpu_type;
    out += spec.gpus_per_node == 1 ? " GPU a node" : " GPUs a node";
  }
  if (!spec.gres.empty()) out += ", " + spec.gres + " a node";
  if (spec.min_cpus > 0) out += ", at least " + std::to_string(spec.min_cpus) + " CPUs a node";
  if (!spec.prefer.empty()) out += ", feature " + spec.prefer + " preferred";
  if (!spec.constraint.empty()) out += ", feature " + spec.constraint;
  if (spec.contiguous) out += ", next to one another";
  if (!spec.topology.empty()) out += ", topology " + spec.topology;
  if (!spec.switches.empty()) out += ", switches " + spec.switches;
  if (!spec.licences.empty()) out += ", licences " + spec.licences;
  if (!spec.nodelist.empty()) out += ", on " + node_list_text(spec.nodelist);
  if (spec.exclusive_user) out += ", shared only with jobs of the same user";
  return spec.exclusive ? out + ", exclusive" : out;
}

// Returns the resources that the job requests. For a heterogeneous job, those of each component:
// "component 0: 1 node, ...; component 1: ..."
std::string wanted_text(const ParsedSpec& spec) {
  if (spec.components.empty()) return size_text(spec);
  std::string out;
  for (std::int64_t i = 0; i < component_count(spec); ++i) {
    ParsedSpec one = component_spec(spec, i);
    if (i > 0) drop_licences(one);  // licences belong to the whole job and are shown once
    out += (out.empty() ? "" : "; ") + ("component " + std::to_string(i)) + ": " + size_text(one);
    if (one.partition != spec.partition) out += ", partition " + one.partition;
  }
  return out;
}

// Quotes the word for a shell, unless a shell takes it literally.
std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "%+,-./:=@_";
  const bool bare = !word.empty() && std::ranges::all_of(word, [&](unsigned char c) {
    return std::isalnum(c) != 0 || plain.find(static_cast<char>(c)) != plain.npos;
  });
  if (bare) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_text(const JobSpec& spec) {
  std::string out = spec.form == JobForm::Batch ? "(batch script)" : "";
  for (const auto& word : spec.command) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

std::string end_text(const Job& job) {
  const bool exited = job.state == JobState::Completed || job.state == JobState::Failed;
  return exited || job.exit_code != 0 || job.exit_signal != 0
             ? exit_text(job.exit_code, job.exit_signal)
             : "";
}

std::string seconds_text(std::int64_t seconds) {
  return seconds == 0 ? "" : duration_text(seconds * 1000);
}

// Returns the time limit of the running attempt, with the reason, if the attempt has a limit of its
// own: shorter than the job's, or for a job without limit. Otherwise empty.
std::string attempt_limit_text(const JobDetail& detail) {
  if (detail.attempts.empty() || detail.attempts.back().ended != Wall{}) return "";
  const Attempt& attempt = detail.attempts.back();
  if (attempt.time_limit_s == 0) return "";
  const JobSpec& spec = *detail.view.job.spec;
  const bool asked_for_none = spec.time_limit_s == 0 && !spec.reservation.empty();
  return seconds_text(attempt.time_limit_s) +
         (attempt.fills
              ? ", in a gap before reserved nodes are needed; then it saves, and continues later"
          : spec.deadline != Wall{} ? ", shortened to meet its deadline or to start sooner"
          : asked_for_none          ? ", the rest of reservation " + spec.reservation
                                    : ", shortened to start sooner");
}

// Returns, for an array task, its array, its number and its job id. Empty for other jobs.
std::string array_text(const Job& job) {
  if (!is_of_array(job)) return "";
  return std::to_string(job.array_job.value) + ", tasks " + job.spec->array +
         "; the job id of this task is " + std::to_string(job.id.value);
}

std::string priority_text(const JobDetail& detail) {
  const JobView& view = detail.view;
  const std::string first =
      detail.first_after_s == 0
          ? ""
          : "after a wait of " + duration_text(detail.first_after_s * 1'000) + " it goes first" +
                (detail.priority_parts.empty() ? ""
                                               : ", but its account's fair share still counts");
  const std::string also = first.empty() ? "" : "; " + first;
  if (!detail.priority_parts.empty())
    return joined(detail.priority_parts, " + ") + "; within its tier, the higher sum starts first" +
           also;
  if (view.job.state != JobState::Pending || view.priority == 0) return first;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6g", view.priority);
  return std::string(text.data()) + "; within its tier, the higher priority starts first" + also;
}

// Returns the lines about what a job, or each task of an array, requests.
Lines asked_lines(const JobDetail& detail, const std::string& partition, const char* wants) {
  const ParsedSpec& spec = *detail.view.job.spec;
  return {{"user", spec.user_name},
          {"account", spec.account},
          {"partition", partition},
          {"qos", spec.qos},
          {"priority", priority_text(detail)},
          {"nice", spec.nice == 0 ? "" : std::to_string(spec.nice)},
          {"reservation", spec.reservation},
          {wants, wanted_text(spec)},
          {"command", command_text(spec)},
          {"folder", spec.work_dir},
          {"output", spec.output},
          {"error", spec.error},
          {"time limit", seconds_text(spec.time_limit_s)},
          {"time min", seconds_text(spec.time_min_s)}};
}

Lines together(Lines first, const Lines& second, const Lines& third) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

Lines job_lines(const JobDetail& detail, const Screen& screen) {
  const JobView& view = detail.view;
  const Job& job = view.job;
  const JobSpec& spec = *job.spec;
  const std::string expected = moment_text(view.expected_start, screen);
  const std::string waits_for = localised_text(view.reason_detail, screen);
  return together(
      {{"job", shown_id(job) + "  " + spec.name},
       {"array", array_text(job)},
       {"state", std::string(name(job.state)) + (job.held ? " (held)" : "")},
       {"why", job.why},
       {"node notes", is_live(job.state) || is_final(job.state) ? notes_text(detail) : ""},
       {"waits for", job.state == JobState::Pending ? waits_for : ""},
       {"next start", job.state == JobState::Pending ? view.system_comment : ""},
       {"depends on", spec.dependency},
       {"earliest start", moment_text(spec.begin, screen)},
       {"crontab", view.crontab_spec},
       {"ends by", moment_text(spec.deadline, screen)},
       {"start expected", job.state == JobState::Pending ? expected : ""},
       {"resume expected", job.state == JobState::Suspended ? expected : ""}},
      asked_lines(detail, view.partition, "wants"),
      {{"limit now", attempt_limit_text(detail)},
       {"time left", view.left_ms < 0 ? "" : duration_text(view.left_ms)},
       {"nodes", node_list_text(view.nodes)},
       {"submitted", moment_text(job.submitted, screen)},
       {"started", moment_text(job.started, screen)},
       {"ended", moment_text(job.ended, screen)},
       {"ran", view.ran_ms == 0 ? "" : duration_text(view.ran_ms)},
       {"progress", progress_text(view.progress, screen.now, is_live(job.state))},
       {"result", is_final(job.state) ? end_text(job) : ""},
       {"restarts", job.restarts == 0 ? "" : std::to_string(job.restarts)},
       {"avoids", node_list_text(job.avoid_nodes)},
       {"checkpoints in", detail.job_checkpoint_dir}});
}

std::string attempt_state_text(const Attempt& attempt) {
  if (attempt.ended != Wall{}) return attempt.outcome.empty() ? "ended" : attempt.outcome;
  if (attempt.stop.why != StopWhy::None) return "stopping: " + std::string(name(attempt.stop.why));
  if (attempt.suspension.suspended) return "suspended";
  return attempt.went == Wall{} ? "preparing" : "running";
}

std::string resume_text(const Attempt& attempt) {
  if (!attempt.resume) return "the beginning";
  if (attempt.resume->job != JobId{})
    return "step " + std::to_string(attempt.resume->step) + " of job " +
           std::to_string(attempt.resume->job.value);
  return "step " + std::to_string(attempt.resume->step) + " of attempt " +
         std::to_string(attempt.resume->attempt.value);
}

std::string attempts_text(const JobDetail& detail, const Screen& screen) {
  if (detail.attempts.empty()) return "";
  Table table({"ATTEMPT", "NODES", "FROM", "BEGAN", "STARTED", "ENDED", "STATE"});
  table.right(0);
  for (const auto& attempt : detail.attempts) {
    std::vector<std::string> nodes;
    for (const auto& node : attempt.nodes) nodes.push_back(node.grant.node);
    table.row({std::to_string(attempt.key.attempt.value), node_list_text(nodes),
               resume_text(attempt), ago_text(attempt.began, screen),
               ago_text(attempt.went, screen), ago_text(attempt.ended, screen),
               attempt_state_text(attempt)});
  }
  return "\n" + table.text(screen.colour);
}

std::string rank_result(const RankStatus& rank) {
  if (rank.phase != RankPhase::Exited) return std::string(name(rank.phase));
  return exit_text(rank.exit_code, rank.exit_signal);
}

std::string node_of(const Attempt& attempt, std::int32_t rank) {
  for (const auto& node : attempt.nodes)
    if (rank >= node.grant.first_rank && rank < node.grant.first_rank + node.grant.ranks)
      return node.grant.node;
  return "-";
}

std::string ranks_text(const JobDetail& detail, const Screen& screen) {
  if (detail.attempts.empty() || detail.attempts.back().ranks.empty()) return "";
  const Attempt& attempt = detail.attempts.back();
  Table table({"RANK", "NODE", "STATE", "SAVED STEP", "STARTED", "ENDED"});
  table.right(0).right(3);
  for (const auto& rank : attempt.ranks)
    table.row({std::to_string(rank.rank), node_of(attempt, rank.rank), rank_result(rank),
               rank.saved.empty() ? "-" : std::to_string(rank.saved.back().step),
               ago_text(rank.started, screen), ago_text(rank.ended, screen)});
  return "\n" + table.text(screen.colour);
}

std::string checkpoints_text(const JobDetail& detail, const Screen& screen) {
  if (detail.checkpoints.empty()) return "";
  Table table({"CHECKPOINT", "ATTEMPT", "SIZE", "FILES", "COMMITTED", ""});
  table.right(0).right(1).right(2).right(3);
  for (const auto& saved : detail.checkpoints)
    table.row({"step " + std::to_string(saved.step),
               std::to_string(saved.key.attempt.value),
               bytes_text(saved.bytes),
               std::to_string(saved.files),
               ago_text(saved.committed, screen),
               {saved.damaged     ? "damaged"
                : saved.pruned    ? "pruned"
                : saved.set_aside ? "set aside"
                                  : "",
                Colour::Red}});
  return "\n" + table.text(screen.colour);
}

}  // namespace

namespace {

// Returns the tasks of an array, with the present limit of tasks that run at once: "0-9%4".
std::string array_tasks_text(const Job& job) {
  const std::string tasks = job.spec->array.substr(0, job.spec->array.find('%'));
  return job.array_limit > 0 ? tasks + "%" + std::to_string(job.array_limit) : tasks;
}

// Returns the lines about an array: what its tasks have in common, and how many are in each state.
Lines array_lines(const JobDetail& detail, const Screen& screen) {
  const JobView& view = detail.view;
  const Job& job = view.job;
  const JobSpec& spec = *job.spec;
  const bool waits = job.state == JobState::Pending;
  const std::string row = command_id(job) + ": ";
  return together(
      {{"array", std::to_string(job.array_job.value) + "  " + spec.name},
       {"tasks", array_tasks_text(job) + ": " + task_counts_text(detail.tasks)},
       {"waits for", waits && !view.reason_detail.empty()
                         ? row + localised_text(view.reason_detail, screen)
                         : ""},
       {"next start", waits && !view.system_comment.empty() ? row + view.system_comment : ""},
       {"depends on", spec.dependency},
       {"earliest start", moment_text(spec.begin, screen)},
       {"ends by", moment_text(spec.deadline, screen)},
       {"start expected", waits && view.expected_start != Wall{}
                              ? row + moment_text(view.expected_start, screen)
                              : ""}},
      asked_lines(detail, spec.partition, "each wants"),
      {{"submitted", moment_text(job.submitted, screen)}});
}

std::string result_text(const TaskGroup& group) {
  if (group.exit_code == 0 && group.exit_signal == 0) return "";
  return exit_text(group.exit_code, group.exit_signal);
}

std::string show_array(const JobDetail& detail, const Screen& screen) {
  const JobId array = detail.view.job.array_job;
  Table table({"TASKS", "STATE", "HOW MANY", "RESULT"});
  table.right(2);
  std::string one;  // for the hint below: the first task of the last group
  for (const TaskGroup& group : detail.tasks) {
    Job row;
    row.array_job = array;
    const auto tasks = parse_array_tasks(group.tasks);
    if (!tasks) continue;
    set_tasks(row, *tasks);
    one = std::to_string(array.value) + "_" + std::to_string(tasks->first());
    table.row({shown_id(row),
               {std::string(name(group.state)), state_colour(group.state)},
               std::to_string(group.count),
               result_text(group)});
  }
  return named_lines(array_lines(detail, screen), screen.colour) + "\n" +
         table.text(screen.colour) + "\n`cox show job " + one + "` shows one task in full.\n";
}

}  // namespace

std::string show_job(const JobDetail& detail, const Screen& screen) {
  if (!detail.tasks.empty()) return show_array(detail, screen);
  return named_lines(job_lines(detail, screen), screen.colour) + attempts_text(detail, screen) +
         ranks_text(detail, screen) + checkpoints_text(detail, screen);
}

}  // namespace cox
