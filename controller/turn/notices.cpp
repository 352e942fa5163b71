#include "controller/turn/notices.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

bool asks_for(const JobSpec& spec, std::string_view type) {
  const bool of_all = type != "ARRAY_TASKS" && !type.starts_with("TIME_LIMIT");
  for (const std::string_view each : split(spec.mail_type, ','))
    if (each == type || (each == "ALL" && of_all)) return true;
  return false;
}

std::string time_type(int percent) {
  return percent == 100 ? "TIME_LIMIT" : "TIME_LIMIT_" + std::to_string(percent);
}

std::optional<Notice::What> what_of(const JobChanged& change) {
  const JobState now = change.job.state;
  if (now == change.state_left) return std::nullopt;
  const bool began = now == JobState::Running && (change.state_left == JobState::Pending ||
                                                  change.state_left == JobState::Configuring);
  if (began) return Notice::What::Began;
  if (is_final(now)) return Notice::What::Ended;
  const bool ran = change.state_left != JobState::Configuring;
  if (now == JobState::Pending && ran) return Notice::What::Requeued;
  return std::nullopt;
}

// Selects the notices about an array as a whole: when its first task has begun, and when its last
// one has ended. Each is selected once, even if many tasks begin or end in one turn.
class WholeArrays {
 public:
  WholeArrays(const std::vector<Change>& changes, const Cluster& cluster) : cluster_(cluster) {
    for (const Change& change : changes)
      if (const auto* changed = std::get_if<JobChanged>(&change))
        if (what_of(*changed) == Notice::What::Began) ++begun_now_[changed->job.array_job];
  }

  bool selects(const Notice& notice) {
    const JobId array = notice.job.array_job;
    const bool is_new = notice.what == Notice::What::Began
                            ? notice.job.restarts == 0 && begun(array) == begun_now_[array]
                            : notice.what == Notice::What::Ended && all_ended(array);
    return is_new && selected_.emplace(array, notice.what).second;
  }

 private:
  // Returns the number of tasks that have begun. Cancelled tasks are not counted, since they may
  // never have begun.
  std::int64_t begun(JobId array) const {
    std::int64_t begun = 0;
    for (const auto& [fate, count] : cluster_.jobs().arrays().fates(array))
      if (fate.state != JobState::Pending && fate.state != JobState::Configuring &&
          fate.state != JobState::Cancelled)
        begun += count;
    return begun;
  }

  bool all_ended(JobId array) const {
    return std::ranges::all_of(cluster_.jobs().arrays().fates(array), [](const auto& entry) {
      return is_final(entry.first.state) || entry.second == 0;
    });
  }

  const Cluster& cluster_;
  std::map<JobId, std::int64_t> begun_now_;
  std::set<std::pair<JobId, Notice::What>> selected_;
};

bool any_failed(const Job& job, const Cluster& cluster) {
  return std::ranges::any_of(cluster.jobs().arrays().fates(job.array_job), [](const auto& entry) {
    return is_final(entry.first.state) && entry.first.state != JobState::Completed;
  });
}

bool wants_mail(const Notice& notice) {
  const JobSpec& spec = *notice.job.spec;
  switch (notice.what) {
    case Notice::What::Began: return asks_for(spec, "BEGIN");
    case Notice::What::Requeued: return asks_for(spec, "REQUEUE");
    case Notice::What::TimePassed: return asks_for(spec, time_type(notice.percent));
    case Notice::What::Ended:
      return asks_for(spec, "END") || (notice.failed && asks_for(spec, "FAIL"));
  }
  return false;
}

void address(Notice& notice, const Cluster& cluster, WholeArrays& arrays) {
  const JobSpec& spec = *notice.job.spec;
  if (spec.mail_type.empty()) return;
  const bool of_array =
      is_of_array(notice.job) && cluster.jobs().arrays().contains(notice.job.array_job);
  if (of_array && !asks_for(spec, "ARRAY_TASKS")) {
    if (!arrays.selects(notice)) return;
    notice.whole_array = true;
    notice.failed = notice.what == Notice::What::Ended && any_failed(notice.job, cluster);
  }
  if (wants_mail(notice)) notice.to = spec.mail_user.empty() ? spec.user_name : spec.mail_user;
}

std::string clock_text(std::int64_t seconds) {
  std::array<char, 32> text{};
  const std::int64_t days = seconds / 86'400;
  std::snprintf(text.data(), text.size(), "%02lld:%02lld:%02lld",
                static_cast<long long>(seconds / 3600 % 24),
                static_cast<long long>(seconds / 60 % 60), static_cast<long long>(seconds % 60));
  return (days > 0 ? std::to_string(days) + "-" : "") + text.data();
}

std::int64_t seconds_between(Wall from, Wall to) {
  return from == Wall{} || to < from ? 0 : (to - from).count() / 1000;
}

// Adds the notice if the user has requested this mail (--mail-type). notify_program does not run
// for it.
void add_time_passed(std::vector<Notice>& notices, Notice notice, int percent,
                     const Cluster& cluster, WholeArrays& arrays) {
  notice.what = Notice::What::TimePassed;
  notice.percent = percent;
  address(notice, cluster, arrays);
  if (!notice.to.empty()) notices.push_back(std::move(notice));
}

}  // namespace

std::vector<Notice> notices_of(const std::vector<Change>& changes, const Cluster& cluster,
                               Wall now) {
  std::vector<Notice> notices;
  WholeArrays arrays(changes, cluster);
  for (const Change& change : changes) {
    const auto* changed = std::get_if<JobChanged>(&change);
    const auto what = changed == nullptr ? std::nullopt : what_of(*changed);
    if (!what) continue;
    Notice notice;
    notice.what = *what;
    notice.job = changed->job;
    notice.failed = *what == Notice::What::Ended && notice.job.state != JobState::Completed;
    notice.waited_s = seconds_between(notice.job.eligible, now);
    notice.ran_s = seconds_between(notice.job.started, now);
    if (*what == Notice::What::Ended && notice.job.state == JobState::Timeout)
      add_time_passed(notices, notice, 100, cluster, arrays);
    address(notice, cluster, arrays);
    notices.push_back(std::move(notice));
  }
  return notices;
}

std::vector<Notice> TimeNotices::due(const Cluster& cluster, Now now) {
  constexpr Milliseconds interval{1'000};
  if (now.boot - looked_ < interval) return {};
  looked_ = now.boot;
  return look(cluster, now);
}

std::vector<Notice> TimeNotices::look(const Cluster& cluster, Now now) {
  std::vector<Notice> notices;
  WholeArrays arrays({}, cluster);
  std::map<AttemptKey, int> passed;
  for (const JobId id : cluster.jobs().live()) {
    const JobEntry& e = *cluster.job(id);
    const bool has_time_mail = e.job.spec->mail_type.find("TIME_LIMIT_") != std::string::npos;
    if (!has_time_mail || e.live_attempt() == nullptr) continue;
    const AttemptKey key = e.live_attempt()->key;
    int& reported = passed[key];
    if (const auto before = passed_.find(key); before != passed_.end()) reported = before->second;
    const auto limit =
        e.job.state == JobState::Running ? cluster.deadlines().of(id).limit : std::nullopt;
    if (!limit) continue;  // the job may be suspended, and has no limit then
    const Milliseconds whole = std::chrono::seconds{e.time_limit_s()};
    for (const int percent : {90, 80, 50}) {
      if (reported >= percent) break;
      const std::string type = time_type(percent);
      if (!asks_for(*e.job.spec, type) || now.boot < *limit - whole * (100 - percent) / 100)
        continue;
      reported = percent;
      Notice notice;
      notice.job = e.job;
      notice.ran_s = seconds_between(e.job.started, now.wall);
      add_time_passed(notices, notice, percent, cluster, arrays);
      break;
    }
  }
  passed_ = std::move(passed);
  return notices;
}

std::string event_name(const Notice& notice) {
  switch (notice.what) {
    case Notice::What::Began: return "began";
    case Notice::What::Ended: return "ended";
    case Notice::What::Requeued: return "requeued";
    case Notice::What::TimePassed: return "";
  }
  return "";
}

std::string mail_subject(const Notice& notice) {
  const Job& job = notice.job;
  const std::string id = notice.whole_array ? std::to_string(job.array_job.value) + "_* (" +
                                                  std::to_string(job.array_job.value) + ")"
                                            : shown_id(job);
  const std::string head = "Slurm " + std::string(notice.whole_array ? "Array Summary " : "") +
                           "Job_id=" + id + " Name=" + printable(job.spec->name) + " ";
  if (notice.what == Notice::What::Began)
    return head + "Began, Queued time " + clock_text(notice.waited_s);
  const std::string ran = "Run time " + clock_text(notice.ran_s);
  if (notice.what == Notice::What::Requeued) return head + "Requeued, " + ran;
  if (notice.what == Notice::What::TimePassed) {
    const std::string share = notice.percent == 100 ? "" : std::to_string(notice.percent) + "% of ";
    return head + "Reached " + share + "time limit, " + ran;
  }
  if (notice.whole_array) return head + "Ended, " + (notice.failed ? "Mixed" : "COMPLETED");
  const std::string exit = job.exit_signal != 0 ? "ExitSignal " + std::to_string(job.exit_signal)
                                                : "ExitCode " + std::to_string(job.exit_code);
  return head + (notice.failed ? "Failed, " : "Ended, ") + ran + ", " +
         std::string(name(job.state)) + ", " + exit;
}

std::string mail_text(const Notice& notice, const std::string& cluster_name) {
  const JobSpec& spec = *notice.job.spec;
  return "To: " + printable(notice.to) + "\nSubject: " + mail_subject(notice) +
         "\nAuto-Submitted: auto-generated\nMIME-Version: 1.0\n"
         "Content-Type: text/plain; charset=utf-8\n\n" +
         "Cluster: " + cluster_name + "\nUser: " + spec.user_name +
         "\nPartition: " + printable(spec.partition) + "\nFolder: " + printable(spec.work_dir) +
         "\nState: " + std::string(name(notice.job.state)) +
         "\nWhy: " + printable(*notice.job.why) + "\n\n`cox show job " + command_id(notice.job) +
         "` shows all details.\n";
}

std::vector<std::string> notice_environment(const Notice& notice, const std::string& cluster_name) {
  const Job& job = notice.job;
  const JobSpec& spec = *job.spec;
  std::vector<std::string> variables = {"SLURM_CLUSTER_NAME=" + cluster_name,
                                        "SLURM_JOB_ID=" + std::to_string(job.id.value),
                                        "SLURM_JOB_NAME=" + spec.name,
                                        "SLURM_JOB_USER=" + spec.user_name,
                                        "SLURM_JOB_ACCOUNT=" + spec.account,
                                        "SLURM_JOB_PARTITION=" + spec.partition,
                                        "SLURM_JOB_QOS=" + spec.qos,
                                        "SLURM_JOB_STATE=" + std::string(name(job.state)),
                                        "SLURM_JOB_EXIT_CODE=" + std::to_string(job.exit_code),
                                        "SLURM_JOB_EXIT_SIGNAL=" + std::to_string(job.exit_signal),
                                        "SLURM_JOB_WORK_DIR=" + spec.work_dir,
                                        "SLURM_JOB_COMMENT=" + spec.comment,
                                        "SLURM_JOB_REASON=" + *job.why};
  if (is_of_array(job)) {
    variables.push_back("SLURM_ARRAY_JOB_ID=" + std::to_string(job.array_job.value));
    variables.push_back("SLURM_ARRAY_TASK_ID=" + std::to_string(job.array_task));
  }
  return variables;
}

}  // namespace cox
