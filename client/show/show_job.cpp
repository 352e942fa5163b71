#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/show/show.h"
#include "client/text/moments.h"
#include "client/text/progress_text.h"
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

// An elastic gang has as many on each of its nodes, however many these are.
std::string ranks_text(const JobSpec& spec) {
  auto range = parse_node_range(spec.node_sizes);
  if (spec.tasks_asked || !range) return std::to_string(spec.tasks);
  const std::int64_t each = spec.tasks / std::max<std::int64_t>(spec.nodes, 1);
  range->least *= each;
  range->most *= each;
  for (std::int64_t& size : range->sizes) size *= each;
  return format_node_range(*range);
}

std::string size_text(const JobSpec& spec) {
  std::string out = spec.node_sizes.empty() ? std::to_string(spec.nodes) : spec.node_sizes;
  out += out == "1" ? " node, " : " nodes, ";
  const std::string ranks = ranks_text(spec);
  out += ranks + (ranks == "1" ? " rank, " : " ranks, ");
  out += std::to_string(spec.cpus_per_task) + (spec.cpus_per_task == 1 ? " cpu" : " cpus");
  out += " a rank";
  if (spec.memory_mb_per_node > 0) out += ", " + memory_text(spec.memory_mb_per_node) + " a node";
  if (spec.gpus_per_node > 0) {
    out += ", " + gpus_text(spec);
    out += spec.gpu_type.empty() ? " gpus a node" : " " + spec.gpu_type + " gpus a node";
  }
  if (!spec.gres.empty()) out += ", " + spec.gres + " a node";
  if (spec.min_cpus > 0) out += ", at least " + std::to_string(spec.min_cpus) + " cpus a node";
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

// Of a heterogeneous job each component: "component 0: 1 node, ...; component 1: ..."
std::string wanted_text(const JobSpec& spec) {
  if (spec.components.empty()) return size_text(spec);
  std::string out;
  for (std::int64_t i = 0; i < component_count(spec); ++i) {
    JobSpec one = component_spec(spec, i);
    if (i > 0) one.licences.clear();  // of the job
    out += (out.empty() ? "" : "; ") + ("component " + std::to_string(i)) + ": " + size_text(one);
    if (one.partition != spec.partition) out += ", partition " + one.partition;
  }
  return out;
}

// As a shell would take it again.
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

// Where the present attempt's time limit is shorter than the job's, or it has one and the job none.
std::string attempt_limit_text(const JobDetail& detail) {
  if (detail.attempts.empty() || detail.attempts.back().ended != Wall{}) return "";
  const Attempt& attempt = detail.attempts.back();
  if (attempt.time_limit_s == 0) return "";
  const JobSpec& spec = *detail.view.job.spec;
  const bool asked_for_none = spec.time_limit_s == 0 && !spec.reservation.empty();
  return seconds_text(attempt.time_limit_s) +
         (attempt.fills             ? ", in a hole before others; then it saves, and goes on later"
          : spec.deadline != Wall{} ? ", by its deadline or to start sooner"
          : asked_for_none          ? ", what was left of reservation " + spec.reservation
                                    : ", shortened to start sooner");
}

// Which task of which array, and the id that it has besides.
std::string array_text(const Job& job) {
  if (!is_of_array(job)) return "";
  return std::to_string(job.array_job.value) + ", tasks " + job.spec->array +
         "; this one has the id " + std::to_string(job.id.value) + " besides";
}

std::string priority_text(const JobDetail& detail) {
  const JobView& view = detail.view;
  if (!detail.priority_parts.empty())
    return joined(detail.priority_parts, " + ") + "; inside its tier the higher sum goes first";
  if (view.job.state != JobState::Pending || view.priority == 0) return "";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6g", view.priority);
  return std::string(text.data()) + "; inside its tier the higher goes first";
}

// What was asked for: of a job, or of each task of an array.
Lines asked_lines(const JobDetail& detail, const std::string& partition, const char* wants) {
  const JobSpec& spec = *detail.view.job.spec;
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
  const std::string waits_for = told_text(view.reason_detail, screen);
  return together(
      {{"job", shown_id(job) + "  " + spec.name},
       {"array", array_text(job)},
       {"state", std::string(name(job.state)) + (job.held ? " (held)" : "")},
       {"why", job.why},
       {"nodes say", is_live(job.state) || is_final(job.state) ? notes_text(detail) : ""},
       {"waits for", job.state == JobState::Pending ? waits_for : ""},
       {"depends on", spec.dependency},
       {"begins not before", moment_text(spec.begin, screen)},
       {"crontab", view.crontab_spec},
       {"ends by", moment_text(spec.deadline, screen)},
       {"start expected", job.state == JobState::Pending ? expected : ""},
       {"goes on", job.state == JobState::Suspended ? expected : ""}},
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
               {saved.damaged  ? "damaged"
                : saved.pruned ? "pruned"
                               : "",
                Colour::Red}});
  return "\n" + table.text(screen.colour);
}

}  // namespace

namespace {

// What all of its tasks have in common, and how they stand.
Lines array_lines(const JobDetail& detail, const Screen& screen) {
  const JobView& view = detail.view;
  const Job& job = view.job;
  const JobSpec& spec = *job.spec;
  const bool waits = job.state == JobState::Pending;
  const std::string row = told_id(job) + ": ";
  return together(
      {{"array", std::to_string(job.array_job.value) + "  " + spec.name},
       {"tasks", spec.array + ": " + task_counts_text(detail.tasks)},
       {"waits for",
        waits && !view.reason_detail.empty() ? row + told_text(view.reason_detail, screen) : ""},
       {"depends on", spec.dependency},
       {"begins not before", moment_text(spec.begin, screen)},
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
  std::string one;  // of the last, which have ended if any have
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
         table.text(screen.colour) + "\n`cox show job " + one + "` tells everything about one.\n";
}

}  // namespace

std::string show_job(const JobDetail& detail, const Screen& screen) {
  if (!detail.tasks.empty()) return show_array(detail, screen);
  return named_lines(job_lines(detail, screen), screen.colour) + attempts_text(detail, screen) +
         ranks_text(detail, screen) + checkpoints_text(detail, screen);
}

}  // namespace cox
