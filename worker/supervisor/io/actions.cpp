// A part of the class Supervisor (supervisor.h): carries out the actions that Supervision returns.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <ctime>

#include "common/base/log_line.h"
#include "common/io/clock.h"
#include "common/io/crash_point.h"
#include "common/job/container.h"
#include "common/job/output_path.h"
#include "common/job/supervisor_folder.h"
#include "worker/supervisor/cancelled_line.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/kept_stream.h"
#include "worker/supervisor/io/supervisor.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {

using namespace supervisor;

namespace {

constexpr const char* script_file = "slurm_script";
// How long the end of an attempt is delayed until the line of cancelled_line.h is written.
constexpr Milliseconds end_writing_max{1'000};

RankPlace rank_place(const JobSpec& spec, const OutputPlace& place) {
  return {spec.work_dir, input_path(spec, place), output_path(spec, place),
          error_path(spec, place)};
}

std::string local_moment(Wall at) {
  const std::time_t seconds = to_ms(at) / 1000;
  std::tm local{};
  char text[32];
  ::localtime_r(&seconds, &local);
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &local));
}

}  // namespace

void Supervisor::feed(const Event& event) {
  for (const Action& action : supervision_.on(event, read_clock())) {
    std::visit([&](const auto& one) { execute(one); }, action);
  }
}

void Supervisor::execute(const PrepareNode& action) {
  const std::string& address = launch_.nodes[static_cast<std::size_t>(launch_.node_index)].address;
  Failure failure;
  if (action.reserve_port) {
    auto ports = ReservedPorts::reserve(address);
    if (ports) {
      ports_ = std::move(*ports);
    } else {
      failure = ports.refusal();
    }
  }
  if (!failure && launch_.spec.form == JobForm::Batch && !action.ranks.empty()) {
    failure = write_file(folder_ + "/" + script_file, launch_.script, 0700, Outlives::Processes);
    if (!failure) failure = give_to_user(folder_ + "/" + script_file);
  }
  if (!failure) {
    auto work = FileWork::prepare(launch_, action);
    if (work) {
      works_.push_back(std::move(*work));
      return;
    }
    failure = work.refusal();
  }
  feed(PrepareFailed{*failure, true});
}

RankCommand Supervisor::command_of(std::int32_t rank, const GoOrder& order) const {
  const NodeGrant& grant = launch_.nodes[static_cast<std::size_t>(launch_.node_index)].grant;
  const OutputPlace place{launch_.key, grant.node,        launch_.node_index,
                          rank,        launch_.array_job, launch_.array_task};
  RankCommand command;
  command.words = launch_.spec.command;
  command.place = rank_place(launch_.spec, place);
  if (launch_.spec.form == JobForm::Batch) {
    JobSpec otherwise = launch_.spec;
    otherwise.work_dir = folder_otherwise;
    command.otherwise = rank_place(otherwise, place);
    command.keeps_error = true;
    command.words.insert(command.words.begin(), folder_ + "/" + script_file);
  }
  command.environment = rank_environment(launch_, order, rank, folder_);
  command.soft_limits = take_soft_limits(command.environment);
  command.prologs = task_prologs(launch_.site, "");
  command.uid = launch_.spec.uid;
  command.gid = launch_.spec.gid;
  return command;
}

Failure Supervisor::put_into_container(RankCommand& command) const {
  auto words = container_words(
      launch_.site.container_command, launch_.spec.stored_options,
      {std::move(command.words), command.environment, {folder_, launch_.job_checkpoint_dir}});
  if (!words) return words.refusal();
  command.words = std::move(*words);
  return std::nullopt;
}

void Supervisor::execute(const StartRanks& action) {
  started_at_ = looked_at_ = read_clock().boot;
  look_at_ = started_at_ + output_look_seldom;
  go_order_ = action.order;
  if (ports_) ports_->release_to_ranks();
  for (const std::int32_t rank : action.ranks) {
    RankCommand command = command_of(rank, action.order);
    const Failure no_container = put_into_container(command);
    auto process =
        no_container ? Result<RankProcess>(*no_container) : start_rank(rank, command, containment_);
    if (process) {
      ranks_.push_back(std::move(*process));
    } else {
      feed(RankStartFailed{rank, 1, process.refusal().fact});
    }
  }
  crash_point("supervisor.after_start");
}

void Supervisor::execute(const WriteReason& action) {
  const std::string path = folder_ + "/" + supervisor_folder::reason_file;
  Failure failure =
      replace_file(path, std::string(name(action.why)) + "\n", 0644, Outlives::Processes);
  if (!failure) failure = give_to_user(path);
  if (failure) {
    say("cannot write the reason why=" + quoted_value(failure->fact));
  }
}

void Supervisor::execute(const SignalRanks& action) {
  // Signals only ranks that are not reaped: the numbers of other process groups may have been
  // reused.
  for (const RankProcess& process : ranks_) {
    if (action.reason != StopWhy::None) write_end(process, action.reason);
    for (const std::int32_t signal : action.signals) {
      ::kill(action.whole_group ? -process.pid : process.pid, signal);
    }
  }
}

void Supervisor::write_end(const RankProcess& process, StopWhy why) {
  const Descriptor error = take_stream(process.error_kept);
  if (!error.is_open()) return;  // the script has not passed its standard error yet
  const Now now = read_clock();
  const pid_t writer = write_as(launch_.spec.uid, launch_.spec.gid, error,
                                cancelled_line(launch_, why, local_moment(now.wall)));
  if (writer < 0) return;
  abandoned_.push_back(writer);
  end_writer_ = writer;
  end_writer_until_ = now.boot + end_writing_max;
}

// Returns whether a child still writes the line of cancelled_line.h. The attempt's end is reported
// only after that, or after end_writing_max.
bool Supervisor::is_writing_end() const {
  const bool lives =
      std::find(abandoned_.begin(), abandoned_.end(), end_writer_) != abandoned_.end();
  return lives && read_clock().boot < end_writer_until_;
}

void Supervisor::execute(const FreezeEverything& action) {
  freezing_ = action.number;
  is_thawing_ = false;
  freeze_pause_ = {};
  retry_at_ = read_clock().boot;
}

// Resumes the processes at once, because the signals that usually follow are for running processes.
void Supervisor::execute(const ThawEverything& action) {
  // Sent first, so that the step daemon has the message when it is resumed.
  if (action.suspended_time > Milliseconds{0})
    send_to_stepd(StepsSuspended{action.suspended_time.count()});
  freezing_.reset();
  freeze_pause_ = {};
  is_frozen_ = false;
  if (stepd_) stepd_->take_back_cpus();
  is_thawing_ = !containment_.thaw_all(own_children());
  if (is_thawing_) retry_at_ = read_clock().boot;
}

void Supervisor::execute(const KillEverything&) {
  freezing_.reset();
  is_thawing_ = false;
  is_sweeping_ = true;
  retry_at_ = read_clock().boot;
}

void Supervisor::execute(const Seal& action) {
  crash_point("supervisor.before_seal");
  auto work = FileWork::seal(launch_, action);
  if (work) {
    works_.push_back(std::move(*work));
    return;
  }
  Sealed failed;
  failed.number = action.number;
  failed.refused = work.refusal();
  failed.save_unknown = true;
  feed(failed);
}

void Supervisor::execute(const AbandonFileWork&) {
  for (FileWork& work : works_) {
    work.abandon();
    abandoned_.push_back(work.pid());
  }
  works_.clear();
}

void Supervisor::execute(const AnswerSave& action) {
  answers_.push_back(action);
}

void Supervisor::execute(const Publish&) {
  is_dirty_ = true;
}

void Supervisor::execute(const Finish&) {
  is_finishing_ = true;
}

}  // namespace cox
