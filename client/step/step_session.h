// StepSession: what srun does about its step, as a pure state machine. Events say what happened,
// the answer says what to do next; time comes in as `now`. client/io/step/step_loop carries the
// actions out.
//
//   CREATION   Started → Ask, again and again: PENDING waits; RUNNING → OpenFiles, and every node
//              that calls is told StepBegin.
//   OPERATION  output is written as it comes, and credit given back for what was written; input
//              goes out as far as every node has credit for it; signals are handed on.
//   END        every node has left, and the controller says how it ended → is_over().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "client/step/step_plan.h"
#include "client/step/task_ends.h"
#include "client/text/whole_lines.h"
#include "common/base/backoff.h"
#include "common/base/time.h"
#include "common/messages/messages.h"

namespace cox {
namespace srun {

enum class Sink : std::uint8_t { Output, Error, Words };  // Words: srun's own, to people

struct Started {};
struct Answered {  // the controller's answer to Ask
  StepShown step;
};
struct Denied {
  Refusal why;
  bool retry = false;
};
struct Silence {  // nobody answers; whoever asks goes on trying
  Refusal why;
};
struct EndTaken {};  // the controller knows that it is to end
struct Heard {
  std::string peer;
  Message message;
};
struct Signalled {
  std::int32_t number = 0;
};
struct InputRead {
  std::string data;
};
struct InputEnded {};
struct Written {  // or dropped
  std::int32_t node = -1;
  std::int64_t credit = 0;
};
struct SinkLost {
  Sink sink = Sink::Output;
  std::string why;  // empty: its reader has gone
};
struct FilesFailed {
  Refusal why;
};
struct Resized {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
};
struct Tick {};

using Event = std::variant<Started, Answered, Denied, Silence, EndTaken, Heard, Signalled,
                           InputRead, InputEnded, Written, SinkLost, FilesFailed, Resized, Tick>;

struct Ask {  // CreateStep
  JobState known = JobState::Pending;
  Milliseconds wait{0};
};
struct EndStep {};  // SignalJobs, until it is taken
struct Tell {
  std::string peer;
  Message message;
};
struct Write {
  Sink sink = Sink::Words;
  std::string text;
  std::int32_t node = -1;  // it came from there, and is worth so much credit
  std::int64_t credit = 0;
};
struct OpenFiles {  // those that srun itself opens
  StepRoutes routes;
};

using Action = std::variant<Ask, EndStep, Tell, Write, OpenFiles>;

}  // namespace srun

class StepSession {
 public:
  struct Settings {
    StepPlan plan;
    std::int32_t umask = 022;
    std::int32_t rows = 0;  // of the terminal, for --pty
    std::int32_t columns = 0;
    std::int64_t utc_offset_s = 0;
    int exit_error = 1;
    int exit_immediate = 1;
    std::string program = "srun";  // stands before what it says: srun, sattach or sbcast
    bool shows_ends = true;        // of tasks that failed. Those of sbcast say why themselves.
    // sattach: the step only looks at this one (common/messages/attachment.h).
    std::optional<StepView> attached{};
    std::optional<StepRoutes> routes{};  // else those that the options say
  };

  static constexpr Milliseconds ask_wait{20'000};
  static constexpr Milliseconds ask_anew_after{1'000};
  static constexpr Milliseconds retry_first{1'000};  // of what may be answered later
  static constexpr Milliseconds retry_most{8'000};
  static constexpr Milliseconds leave_wait{5'000};  // for the last words of the controller
  static constexpr Milliseconds node_wait{30'000};  // of nodes: its tasks' output is among them
  static constexpr Milliseconds interrupt_again{1'000};
  static constexpr std::int64_t abort_s = 2;  // added to kill_wait: Slurm's STEP_ABORT_TIME

  explicit StepSession(Settings settings);
  StepSession(const StepSession&) = delete;

  std::vector<srun::Action> on(const srun::Event& event, Now now);
  std::optional<Boot> wakeup() const;  // when a Tick is due, if nothing else happens before
  bool is_over() const { return exit_code_.has_value(); }
  int exit_code() const { return exit_code_.value_or(0); }

  // How many bytes of input may be read now.
  std::size_t input_room() const;
  // Known once it is RUNNING or waits.
  const std::optional<StepView>& step() const { return step_; }

 private:
  struct Node {
    std::string name;
    std::string peer;  // empty: it has not called
    std::vector<std::int32_t> ranks;
    std::set<std::int32_t> ended;
    std::set<std::int32_t> failed;                    // tasks that failed
    std::optional<std::vector<std::int64_t>> pids{};  // of its ranks, once they run
    bool left = false;
    std::int64_t input_room = input_credit;
    std::int64_t credit_due = 0;
  };

  void handle(const srun::Started&, Now now);
  void handle(const srun::Answered& shown, Now now);
  void handle(const srun::Denied& refused, Now now);
  void handle(const srun::Silence& silence, Now now);
  void handle(const srun::EndTaken&, Now now);
  void handle(const srun::Heard& heard, Now now);
  void handle(const srun::Signalled& signal, Now now);
  void handle(const srun::InputRead& read, Now now);
  void handle(const srun::InputEnded&, Now now);
  void handle(const srun::Written& written, Now now);
  void handle(const srun::SinkLost& lost, Now now);
  void handle(const srun::FilesFailed& failed, Now now);
  void handle(const srun::Resized& size, Now now);
  void handle(const srun::Tick&, Now) {}

  void on(std::size_t at, const TasksBegun& begun, Now now);
  void on(std::size_t at, const StreamBytes& data, Now now);
  void on(std::size_t at, const StreamEnd& end, Now now);
  void on(std::size_t at, const TaskEnded& ended, Now now);
  void on(std::size_t at, const StepLeft& left, Now now);
  void on(std::size_t at, const InputCredit& credit, Now now);
  void on(std::size_t at, const StepGather& gather, Now now);
  template <class Other>
  void on(std::size_t, const Other&, Now) {}

  void adopt();
  void join(const std::string& peer, const StepJoin& joined);
  std::vector<std::int32_t> attached_ranks(const std::string& node) const;
  void advance(Now now);
  void finish();
  void end_step();
  void leave_it(int exit_code);
  void interrupted(Now now);
  void force_end();
  void say_aborted();
  void give_up_waiting(const std::string& why, int exit_code, Now now);

  bool runs() const { return !nodes_.empty(); }
  bool gets_input(const Node& node) const;
  std::int64_t node_credit() const;
  srun::Sink sink_of(StreamName stream) const;
  void credit(std::size_t at, std::int64_t bytes);
  void tell(const Node& node, Message message);
  void tell_tasks(std::int32_t signal);
  void write_rest();
  std::string own_name() const { return settings_.program + ": "; }
  void say(const std::string& text);       // "srun: TEXT"
  void complain(const std::string& text);  // "srun: error: TEXT"
  void warn(const std::string& text);      // "slurmstepd: error: TEXT"
  void show_ends(const std::vector<std::string>& lines);
  void show_tasks();
  void show_processes();
  std::string id() const;  // "StepId=12.0"
  // The one whose tasks these are.
  const StepView& shape() const { return settings_.attached ? *settings_.attached : *step_; }

  Settings settings_;
  Backoff retry_;
  const StepOptions& asked_;
  std::optional<StepView> step_;
  StepRoutes routes_;
  StepBegin begin_;
  std::vector<Node> nodes_;  // once it runs
  std::map<std::string, std::size_t> by_peer_;
  std::vector<std::pair<std::string, StepJoin>> early_;  // called before the controller answered
  std::optional<WholeLines> lines_;                      // none: what they write goes as it comes
  TaskEnds ends_;
  // Of each turn of their fences what nodes have said, until all have.
  std::map<std::int64_t, std::map<std::size_t, std::string>> gathers_;
  std::set<std::string> notes_;    // told of
  std::optional<JobState> final_;  // as the controller has it
  std::optional<int> abandoned_;   // it never ran, and srun ends with this
  bool told_waits_ = false;
  bool told_silence_ = false;
  bool ending_ = false;
  bool input_over_ = false;
  bool output_lost_ = false;
  std::optional<Boot> ask_at_;  // again
  std::optional<Boot> immediate_at_;
  std::optional<Boot> wait_at_;
  std::optional<Boot> leave_at_;
  std::optional<Boot> interrupted_at_;
  bool killed_ = false;            // all tasks were killed because of --wait
  bool forced_ = false;            // the user forced the end
  bool told_aborted_ = false;      // "Job step aborted" was printed
  bool killed_by_signal_ = false;  // a task was ended by SIGKILL or SIGTERM
  std::int64_t kill_wait_ms_ = 0;  // time from SIGTERM to SIGKILL; 0: unknown
  std::optional<int> exit_code_;
  std::vector<srun::Action> actions_;
};

}  // namespace cox
