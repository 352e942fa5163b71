// `cox logs`: the controller returns the place of a rank's log file, and the worker of that node
// sends it in pieces. With -f the files are read again until the attempt is over, then those of the
// next attempt.
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/job_lines.h"
#include "client/show/json.h"
#include "client/text/log_lines.h"
#include "common/base/limits.h"

namespace cox {
namespace {

constexpr Milliseconds look_again{200};
// Number of pauses of `look_again` between two requests to the controller: one request per second.
constexpr int rounds_between_questions = 5;
constexpr std::int64_t ranks_max = limits::tasks_per_job_max;

// A log file of one or more ranks that is being read.
struct Stream {
  std::int32_t rank = 0;
  LogPlace place;
  std::int64_t offset = 0;
  LogLines lines{0};
  bool is_missing = false;  // there was no such file when it was last read
};

class Reader {
 public:
  Reader(Session& session, const LogsOptions& options) : session_(session), options_(options) {}
  int run(const Command& command);

 private:
  Result<Answer> locate(std::int32_t rank, AttemptNumber attempt);
  Failure open_streams(const LogPlace& first);
  Failure drain(Stream& stream);
  Failure drain_all();
  Result<bool> still_live(AttemptNumber attempt);
  Failure find_ends();
  Failure follow(AttemptNumber attempt);
  Result<LogPlace> next_attempt(AttemptNumber after);
  bool job_ended();
  Result<Asker*> worker(const LogPlace& place);
  void write(Stream& stream, const std::string& bytes);
  void finish_lines();
  Failure why_nothing() const;
  int failed(const Command& command, const Refusal& why);

  Session& session_;
  const LogsOptions& options_;
  std::map<std::string, Asker> workers_;  // by endpoint
  std::vector<Stream> streams_;
  bool unreachable_ = false;
};

Result<Answer> Reader::locate(std::int32_t rank, AttemptNumber attempt) {
  const LocateLog question{
      options_.ids.front(),           attempt,         rank, options_.error_stream,
      task_of(options_).value_or(-1), row_of(options_)};
  auto answer = session_.controller->ask(question);
  if (temporary_failure(answer)) unreachable_ = true;
  return answer;
}

Result<LogPlace> place_of(const Result<Answer>& answer) {
  if (!answer) return answer.refusal();
  if (const auto* place = std::get_if<LogPlace>(&*answer)) return *place;
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  return Refusal{"the controller sent an unexpected reply", ""};
}

// Returns the offset up to which the file of this path was shown for the previous attempt; 0: it
// was not shown. A new attempt may append to the same file, even before its predecessor was known
// to be over, and nothing is shown twice.
std::int64_t offset_behind(const std::vector<Stream>& before, const std::string& path) {
  const auto same = std::ranges::find(before, path, [](const Stream& s) { return s.place.path; });
  return same == before.end() ? 0 : same->offset;
}

// Opens the files of all ranks of the attempt (or of the chosen rank). A file that ranks share is
// read once.
Failure Reader::open_streams(const LogPlace& first) {
  const auto before = std::exchange(streams_, {});
  const auto open = [&](std::int32_t rank, const LogPlace& place) {
    const auto offset = std::max(place.from, offset_behind(before, place.path));
    streams_.push_back({rank, place, offset, LogLines(rank)});
  };
  if (options_.rank) {
    open(*options_.rank, first);
    return {};
  }
  std::set<std::string> paths;
  for (std::int32_t rank = 0; rank < std::min<std::int64_t>(first.ranks, ranks_max); ++rank) {
    const auto place = rank == 0 ? Result<LogPlace>(first) : place_of(locate(rank, first.attempt));
    if (!place) return place.refusal();
    if (paths.insert(place->path).second) open(rank, *place);
  }
  return {};
}

Result<Asker*> Reader::worker(const LogPlace& place) {
  if (auto known = workers_.find(place.endpoint); known != workers_.end()) return &known->second;
  if (place.endpoint.empty())
    return Refusal{"node " + place.node + " has reported no address for its logs",
                   "'cox show node " + place.node + "' shows whether it is up"};
  Connection::Options to{place.endpoint, place.key, {}};
  if (!place.key.empty()) {
    auto key = read_key_file(session_.config.key_file);
    if (!key) return key.refusal();
    to.key = *key;
  }
  auto asker = Asker::to_worker(*session_.poller, to, place.node);
  if (!asker) return asker.refusal();
  return &workers_.emplace(place.endpoint, std::move(asker).value()).first->second;
}

void Reader::write(Stream& stream, const std::string& bytes) {
  const bool raw = options_.rank.has_value() || streams_.size() == 1;
  print({raw ? bytes : stream.lines.take(bytes), "", exit_ok});
}

// Returns whether standard output takes no more, as in `cox logs -f 1 | head`.
bool nobody_reads() {
  return std::ferror(stdout) != 0;
}

// Prints the file from the current offset to its present end.
Failure Reader::drain(Stream& stream) {
  auto asker = worker(stream.place);
  if (!asker) return asker.refusal();
  for (;;) {
    auto bytes = static_cast<std::int64_t>(limits::log_chunk_bytes_max);
    if (stream.place.to) bytes = std::min(bytes, *stream.place.to - stream.offset);
    if (bytes <= 0) return {};
    const ReadLog question{{stream.place.job, stream.place.attempt},
                           stream.rank,
                           options_.error_stream,
                           stream.place.path,
                           stream.offset,
                           bytes};
    auto answer = (*asker)->ask(question);
    if (const auto why = temporary_failure(answer)) {  // with -f the worker is asked again later
      unreachable_ = true;
      return *why;
    }
    if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
    auto* chunk = std::get_if<LogChunk>(&*answer);
    stream.is_missing = chunk != nullptr && chunk->missing;
    if (chunk == nullptr || chunk->missing || chunk->data.empty()) return {};
    // `place.to` is the end of the attempt's output. The worker skips the released part of a file
    // that grew too large, so the chunk may reach beyond that end, into the output of a later
    // attempt. That part is cut off.
    if (stream.place.to && chunk->next_offset > *stream.place.to) {
      const auto size = static_cast<std::int64_t>(chunk->data.size());
      const std::int64_t beyond = std::min(size, chunk->next_offset - *stream.place.to);
      chunk->data.resize(static_cast<std::size_t>(size - beyond));
    }
    write(stream, chunk->data);
    if (nobody_reads()) return Refusal{};
    stream.offset = chunk->next_offset;
  }
}

Failure Reader::drain_all() {
  for (auto& stream : streams_)
    if (auto why = drain(stream)) return why;
  return {};
}

void Reader::finish_lines() {
  const bool raw = options_.rank.has_value() || streams_.size() == 1;
  for (auto& stream : streams_) print({raw ? "" : stream.lines.finish(), "", exit_ok});
}

// Returns a Refusal if none of the files exists: an empty screen would not show that.
Failure Reader::why_nothing() const {
  if (streams_.empty() || !std::ranges::all_of(streams_, &Stream::is_missing)) return {};
  const LogPlace& place = streams_.front().place;
  return Refusal{"there is no file " + place.path + " on " + place.node,
                 "the job has written nothing to it, or could not; 'cox show job " +
                     std::to_string(place.job.value) + "' shows where its output goes"};
}

Result<bool> Reader::still_live(AttemptNumber attempt) {
  const auto place = place_of(locate(options_.rank.value_or(0), attempt));
  if (!place) return place.refusal();
  return place->live;
}

// Asks the controller at which offset the output of an ended attempt ends in each file: the next
// attempt may already append to the same file.
Failure Reader::find_ends() {
  for (auto& stream : streams_) {
    const auto place = place_of(locate(stream.rank, stream.place.attempt));
    if (!place) return place.refusal();
    stream.place.to = place->to;
  }
  return {};
}

// Prints the files, and what ranks add to them, until the attempt is over. If the controller or a
// worker does not answer, it tries again.
Failure Reader::follow(AttemptNumber attempt) {
  for (int round = 0;; ++round) {
    const bool ask_now = round % rounds_between_questions == 0;
    const auto live = ask_now ? still_live(attempt) : Result<bool>(true);
    if (!live && !unreachable_) return live.refusal();
    auto why = live && !*live ? find_ends() : Failure{};
    if (!why) why = drain_all();
    if (why && !unreachable_) return why;
    unreachable_ = false;
    if (live && !*live) return {};  // the attempt was over before this last read
    pause_for(*session_.poller, look_again);
  }
}

bool Reader::job_ended() {
  auto answer = session_.controller->ask(
      ShowJob{options_.ids.front(), task_of(options_).value_or(-1), row_of(options_)});
  if (temporary_failure(answer)) return false;
  const auto* detail = std::get_if<JobDetail>(&*answer);
  return detail == nullptr || is_final(detail->view.job.state);
}

// Waits for an attempt later than `after`. Returns a Refusal once the job has ended without one.
Result<LogPlace> Reader::next_attempt(AttemptNumber after) {
  const bool was_shown = after.value > 0;
  for (bool waiting = false;; waiting = true) {
    // asked before `locate`: between the two requests the last attempt may begin and end
    const bool ended = job_ended();
    auto place = place_of(locate(options_.rank.value_or(0), AttemptNumber{0}));
    if (place && place->attempt > after) {
      if (was_shown) std::fprintf(stderr, "cox: attempt %d begins here\n", place->attempt.value);
      return place;
    }
    unreachable_ = false;
    if (ended) return place ? Refusal{} : place.refusal();
    if (!waiting && !was_shown) std::fprintf(stderr, "cox: the job has not started yet; waiting\n");
    pause_for(*session_.poller, look_again * rounds_between_questions);
  }
}

int Reader::failed(const Command& command, const Refusal& why) {
  if (nobody_reads()) return exit_refused;
  finish_lines();
  return print_refusal(command, why, options_, unreachable_ ? exit_unreachable : exit_refused);
}

int Reader::run(const Command& command) {
  auto place = place_of(locate(options_.rank.value_or(0), options_.attempt));
  if (!place && options_.follow && !unreachable_ && options_.attempt.value == 0)
    place = next_attempt(AttemptNumber{0});
  if (!place) return failed(command, place.refusal());
  if (options_.json) return print({json_text(Answer{*place}), "", exit_ok});
  for (;;) {
    if (auto why = open_streams(*place)) return failed(command, *why);
    if (auto why = options_.follow ? follow(place->attempt) : drain_all())
      return failed(command, *why);
    finish_lines();
    if (nobody_reads()) return exit_refused;
    if (const auto why = why_nothing()) return failed(command, *why);
    if (!options_.follow || options_.attempt.value > 0) return exit_ok;
    place = next_attempt(place->attempt);
    if (!place) return exit_ok;
  }
}

}  // namespace

int run_logs(const Command& command, const LogsOptions& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  return Reader(*session, options).run(command);
}

}  // namespace cox
