#include "worker/supervisor/io/file_work.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/io/clock.h"
#include "common/job/checkpoint_marker.h"
#include "common/job/output_path.h"
#include "common/messages/codec.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/io/files/checkpoint_folder.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/files/output_look.h"
#include "worker/supervisor/io/files/seal.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {

using namespace supervisor;

namespace {

constexpr int make_folder_tries_max = 5;
constexpr std::int64_t no_step = -1;
// A save that cannot be reached is tried again: a network file system may be away for a moment.
constexpr int seal_tries_max = 5;
constexpr unsigned seal_pause_s = 1;

// The child sends its outcome through the pipe as a message of the protocol: CheckpointAnswer for a
// seal; StatusReport, or RenewLease for PrepareLate, for preparing. For a check of output files it
// sends a line of text.
std::string encode_seal(const Result<SavedStep, SealFault>& result) {
  CheckpointAnswer answer;
  if (result) {
    answer.saved = *result;
  } else {
    answer.refused = result.refusal();
    answer.save_unknown = result.refusal().is_unknown;
    answer.may_retry = result.refusal().may_retry;
  }
  return encode(Message{answer});
}

std::string encode_refused(const Refusal& why, bool node_at_fault,
                           ResumeFault resume_fault = ResumeFault::None) {
  StatusReport report;
  report.status.refused = why.fact;
  report.status.node_at_fault = node_at_fault;
  report.status.resume_fault = resume_fault;
  return encode(Message{report});
}

std::string encode_prepared(std::vector<RankStatus> ranks) {
  StatusReport report;
  report.status.ranks = std::move(ranks);
  return encode(Message{report});
}

OutputPlace place_of(const LaunchSpec& launch, std::int32_t rank) {
  const NodeGrant& grant = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
  return {launch.key, grant.node, launch.node_index, rank, launch.array_job, launch.array_task};
}

// Returns the size of an output file before this attempt writes to it. If `empty_until` is set,
// empties it first; this is done before any rank runs, since ranks may share a file. Devices and
// pipes stay unchanged. None: it is too late to empty it, for example because the open() took long.
std::optional<std::int64_t> bytes_before(const std::string& path,
                                         const std::optional<Boot>& empty_until) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return 0;
  if (empty_until && read_clock().boot >= *empty_until) return std::nullopt;
  if (empty_until && ::ftruncate(file.get(), 0) == 0) return 0;
  return facts.st_size;
}

// Opens the checkpoint root, the folder that all nodes share. Refused if it has no marker file:
// while the share is not mounted, its path is an empty folder on this machine's own disk.
Result<Descriptor> open_checkpoint_root(const LaunchSpec& launch) {
  const std::string& job = launch.job_checkpoint_dir;
  const std::string path = job.substr(0, job.rfind('/'));
  Descriptor root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.is_open() && ::faccessat(root.get(), checkpoint_marker_file, F_OK, 0) == 0) return root;
  return Refusal{"the checkpoint folder " + path + " is not here: its marker " +
                     checkpoint_marker_file + " cannot be found (" + std::strerror(errno) + ")",
                 "is the shared storage mounted on this node?"};
}

// Makes the checkpoint folder of this attempt. `root`: the opened folder that all nodes share.
std::optional<FolderRefused> make_own_checkpoint_folder(const LaunchSpec& launch, int root) {
  const std::string& job = launch.job_checkpoint_dir;
  const std::string folder = checkpoint_dir(launch);
  const std::size_t slash = job.rfind('/');
  const CheckpointFolder wanted{job.substr(0, slash), job.substr(slash + 1),
                                folder.substr(folder.rfind('/') + 1), launch.spec.uid,
                                launch.spec.gid};
  // Several tries: at the end of the previous attempt another process may remove the job's empty
  // folder before the attempt's folder is made in it.
  auto refused = make_checkpoint_folder(root, wanted);
  for (int tries = make_folder_tries_max; refused && !refused->name_taken && tries > 1; --tries)
    refused = make_checkpoint_folder(root, wanted);
  return refused;
}

// Refused if the job resumes from its own checkpoint and its folder is not there: the folder must
// not be made anew, which would be in the way of the real one when that comes back.
Failure check_job_folder(const LaunchSpec& launch, int root) {
  const std::string& job = launch.job_checkpoint_dir;
  if (!launch.resume || launch.resume->job != JobId{}) return std::nullopt;
  const std::string name = job.substr(job.rfind('/') + 1);
  if (::faccessat(root, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return std::nullopt;
  return io_refusal(job, "read", errno);
}

// Returns the job's spec with the working directory in which the script really starts (another one
// if its own cannot be entered): output paths depend on it.
JobSpec spec_where_it_runs(const LaunchSpec& launch) {
  JobSpec spec = launch.spec;
  const bool can_move = spec.form == JobForm::Batch;
  if (can_move && ::chdir(spec.work_dir.c_str()) != 0) spec.work_dir = folder_otherwise;
  return spec;
}

// Returns the sizes of the ranks' output files before this attempt writes to them, after it has
// emptied them if it is the first. None: it is too late to empty them.
std::optional<std::vector<RankStatus>> begin_output(const LaunchSpec& launch,
                                                    const PrepareNode& what) {
  const JobSpec spec = spec_where_it_runs(launch);
  std::vector<RankStatus> ranks;
  for (const std::int32_t rank : what.ranks) {
    RankStatus& one = ranks.emplace_back();
    one.rank = rank;
    one.output_from =
        bytes_before(output_path(spec, place_of(launch, rank)), what.empty_output_until);
    one.error_from =
        bytes_before(error_path(spec, place_of(launch, rank)), what.empty_output_until);
    if (!one.output_from || !one.error_from) return std::nullopt;
  }
  return ranks;
}

std::string prepare_node(const LaunchSpec& launch, const PrepareNode& what) {
  if (!checkpoint_dir(launch).empty()) {
    const auto root = open_checkpoint_root(launch);
    if (!root) return encode_refused(root.refusal(), true);
    if (const Failure away = check_job_folder(launch, root->get()))
      return encode_refused(*away, true, ResumeFault::Unreadable);
    if (const auto refused = make_own_checkpoint_folder(launch, root->get()))
      return encode_refused(refused->why, !refused->name_taken);
  }
  if (!become_user(launch.spec.uid, launch.spec.gid)) {
    return encode_refused({"cannot become the job's user", ""}, true);
  }
  // Before the files to resume from are read, which may take long.
  const auto ranks = begin_output(launch, what);
  if (!ranks) return encode(Message{RenewLease{}});  // "PrepareLate": a new lease is needed first
  const std::string& identity =
      launch.resume_job_dir.empty() ? launch.job_identity : launch.resume_identity;
  const auto ranks_to_verify = what.verify_all
                                   ? sealed_ranks(resume_dir(launch))
                                   : Result<std::vector<std::int32_t>>(what.verify_ranks);
  if (!ranks_to_verify)
    return encode_refused(ranks_to_verify.refusal(), true, ResumeFault::Unreadable);
  if (!ranks_to_verify->empty()) {
    const std::int64_t cpus = launch.nodes[static_cast<std::size_t>(launch.node_index)].grant.cpus;
    if (const auto fault = verify(resume_dir(launch), *ranks_to_verify, identity, cpus))
      return encode_refused(fault->why, fault->kind == ResumeFault::Unreadable, fault->kind);
  }
  return encode_prepared(*ranks);
}

SealFault unreached(const Refusal& why) {
  SealFault fault(why);
  fault.may_retry = true;
  return fault;
}

// Seals what the rank has saved. Step no_step: it has saved nothing, or nothing has changed since
// its first report.
Result<SavedStep, SealFault> seal_rank(const LaunchSpec& launch, const Seal& what) {
  SavedStep nothing;
  nothing.step = no_step;
  const std::string folder = checkpoint_dir(launch);
  if (folder.empty()) return nothing;
  // An open folder cannot be unmounted during the seal.
  const auto root = open_checkpoint_root(launch);
  if (!root) return unreached(root.refusal());
  const auto newest = what.step ? Result<std::optional<std::int64_t>>(what.step)
                                : newest_step(folder, what.rank, what.above_step);
  if (!newest) return unreached(newest.refusal());
  const std::optional<std::int64_t> step = *newest;
  if (!step) return nothing;
  if (what.is_repeat) {
    if (auto fault = check_sealed(folder, *step, what.rank, launch.job_identity)) return *fault;
    return nothing;
  }
  const NoFiles no_files = what.must_have_files ? NoFiles::Refused : NoFiles::Sealed;
  return cox::seal(folder, *step, what.rank, launch.job_identity, no_files,
                   what.is_of_job_step ? SavedBy::JobStep : SavedBy::Job);
}

std::string seal_with_patience(const LaunchSpec& launch, const Seal& what) {
  if (!become_user(launch.spec.uid, launch.spec.gid))
    return encode_seal(SealFault(Refusal{"cannot become the job's user", ""}));
  auto sealed = seal_rank(launch, what);
  for (int tries = 1; !sealed && sealed.refusal().may_retry && tries < seal_tries_max; ++tries) {
    ::sleep(seal_pause_s);
    sealed = seal_rank(launch, what);
  }
  return encode_seal(sealed);
}

std::string look_at_ranks(const LaunchSpec& launch, const std::vector<std::int32_t>& ranks) {
  if (!become_user(launch.spec.uid, launch.spec.gid)) return "";
  const JobSpec spec = spec_where_it_runs(launch);
  std::set<std::string> paths;
  for (const std::int32_t rank : ranks) {
    paths.insert(output_path(spec, place_of(launch, rank)));
    paths.insert(error_path(spec, place_of(launch, rank)));
  }
  return encode_output_check(look_at_output(paths, launch.log_bytes_max));
}

Prepared prepared_of(const AttemptStatus& status) {
  Prepared prepared;
  for (const RankStatus& rank : status.ranks)
    prepared.logs.push_back({rank.rank, rank.output_from.value_or(0), rank.error_from.value_or(0)});
  return prepared;
}

}  // namespace

template <class Work>
Result<FileWork> FileWork::start(const LaunchSpec& launch, std::optional<std::int64_t> seal,
                                 Work work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Refusal{std::string("cannot make a pipe: ") + std::strerror(errno), ""};
  }
  FileWork started;
  started.seal_ = seal;
  started.outcome_.reset(ends[0]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const Descriptor write_end(ends[1]);
  const pid_t parent = ::getpid();
  started.pid_ = ::fork();
  if (started.pid_ < 0) {
    return Refusal{std::string("cannot start a process: ") + std::strerror(errno), ""};
  }
  if (started.pid_ > 0) return started;
  become_plain_child(parent);
  const std::string outcome = work(launch);
  for (std::size_t done = 0; done < outcome.size();) {
    const ssize_t n = ::write(write_end.get(), outcome.data() + done, outcome.size() - done);
    if (n <= 0) ::_exit(1);
    done += static_cast<std::size_t>(n);
  }
  ::_exit(0);
}

Result<FileWork> FileWork::prepare(const LaunchSpec& launch, const PrepareNode& what) {
  return start(launch, std::nullopt, [&](const LaunchSpec& l) { return prepare_node(l, what); });
}

Result<FileWork> FileWork::seal(const LaunchSpec& launch, const Seal& what) {
  return start(launch, what.number,
               [&](const LaunchSpec& l) { return seal_with_patience(l, what); });
}

Result<FileWork> FileWork::look(const LaunchSpec& launch, const std::vector<std::int32_t>& ranks) {
  auto work =
      start(launch, std::nullopt, [&](const LaunchSpec& l) { return look_at_ranks(l, ranks); });
  if (work) work->is_look_ = true;
  return work;
}

bool FileWork::read() {
  char buffer[4096];
  while (true) {
    const ssize_t n = ::read(outcome_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno != EAGAIN;
    if (n == 0) return true;
    received_.append(buffer, static_cast<std::size_t>(n));
  }
}

Event FileWork::take() const {
  if (is_look_) {
    const auto seen = decode_output_check(received_);
    return seen ? Event{*seen} : Event{Tick{}};
  }
  const auto messages = decode(received_);
  const bool whole = messages && messages->size() == 1;
  const Refusal died{"the process that worked on the files has died", ""};
  if (seal_) {
    Sealed sealed;
    sealed.number = *seal_;
    const auto* answer = whole ? std::get_if<CheckpointAnswer>(&messages->front()) : nullptr;
    sealed.refused = answer ? answer->refused : died;
    sealed.save_unknown = !answer || answer->save_unknown;
    sealed.may_retry = answer && answer->may_retry;
    if (answer && !answer->refused && answer->saved.step != no_step) sealed.saved = answer->saved;
    return sealed;
  }
  if (whole && std::holds_alternative<RenewLease>(messages->front())) return PrepareLate{};
  const auto* report = whole ? std::get_if<StatusReport>(&messages->front()) : nullptr;
  if (report && report->status.refused.empty()) return prepared_of(report->status);
  PrepareFailed failed;
  failed.why = report ? Refusal{report->status.refused, ""} : died;
  failed.node_at_fault = !report || report->status.node_at_fault;
  if (report) failed.resume_fault = report->status.resume_fault;
  return failed;
}

void FileWork::abandon() {
  ::kill(pid_, SIGKILL);
}

}  // namespace cox
