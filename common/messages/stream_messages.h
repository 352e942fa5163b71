// What srun and a step's nodes say to each other: directly, over a link that the node opens to the
// client (StreamPlace). The controller carries none of it.
//
//   node → srun   StepJoin, TasksBegun, StreamBytes, StreamEnd, TaskEnded, InputCredit, StepLeft
//   srun → node   StepBegin in answer to StepJoin, InputBytes, InputEnd, OutputCredit, SignalTasks,
//                 WindowSize, StepReleased in answer to StepLeft
//   both ways     StepGather from each node, and StepGathered to each once all have come
//
// Streams are whole and in order. Nobody sends more than the other side has given credit for: each
// StreamBytes and InputBytes costs its bytes and stream_cost, so that many small ones are bounded
// too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/job/step.h"

namespace cox {

inline constexpr std::int64_t stream_cost = 16 << 10;     // bytes of credit, besides the data's
inline constexpr std::int64_t stream_credit = 8ll << 20;  // bytes a node may send unanswered
inline constexpr std::int64_t input_credit = 1ll << 20;   // bytes srun may send a node unanswered
inline constexpr std::size_t stream_chunk_bytes_max = 256u << 10;

enum class StreamName : std::uint8_t { Output, Error };

// The first word of a node; it holds what the controller said of the step.
struct StepJoin {
  static constexpr int tag = 100;
  std::int32_t number = 0;
  std::int32_t node_index = 0;  // of the step's nodes
  std::string node;
  std::vector<std::int32_t> ranks;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.number, self.node_index, self.node, self.ranks);
  }
};

// Where a task's stream goes, or comes from.
enum class StreamMode : std::uint8_t {
  Client,  // to and from srun
  File,    // opened on the node, as the user, by each task: a pattern with its number in it
  Null,
};

struct StreamWish {
  StreamMode mode = StreamMode::Client;
  std::string path;  // File: a pattern (output_path.h)
  bool append = false;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.mode, self.path, self.append);
  }
};

// What some tasks run; in the order in which they are looked through.
struct TaskCommand {
  std::vector<std::int32_t> ranks;  // empty: all
  std::vector<std::string> words;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ranks, self.words);
  }
};

struct StepBegin {
  static constexpr int tag = 101;
  std::vector<TaskCommand> commands;
  std::string environment;  // NAME=value\0 blocks
  std::string work_dir;
  std::int32_t umask = 022;
  StreamWish input;
  StreamWish output;
  StreamWish error;  // Client with `error_joins`: into the output's
  bool error_joins = false;
  std::int32_t input_rank = -1;  // whom srun's input goes to; -1: all
  std::int32_t pty_rank = -1;    // it has a terminal of its own; -1: none
  std::int32_t rows = 0;         // of that terminal
  std::int32_t columns = 0;
  std::int64_t credit = 0;  // OutputCredit to begin with
  // What its tasks find each other by: "pmi2", "pmix"; "none" or empty: nothing.
  std::string mpi{};
  std::string task_map{};  // which ranks are on which node: "0,1;2,3"; empty without `mpi`
  // What goes to the client goes by a terminal of each task's own: programs write lines there.
  bool unbuffered = false;
  // Programs around each task, beside the site's: paths; empty: none.
  std::string task_prolog{};
  std::string task_epilog{};
  // The container of the tasks, such as "container-image=..." (container.h); empty: no container.
  std::vector<std::string> container{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.commands, self.environment, self.work_dir, self.umask, self.input, self.output,
          self.error, self.error_joins, self.input_rank, self.pty_rank, self.rows, self.columns,
          self.credit, self.mpi, self.task_map, self.unbuffered, self.task_prolog, self.task_epilog,
          self.container);
  }
};

struct TasksBegun {
  static constexpr int tag = 102;
  std::vector<std::int64_t> pids;  // of its ranks in their order
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.pids);
  }
};

struct StreamBytes {
  static constexpr int tag = 103;
  std::int32_t rank = 0;
  StreamName stream = StreamName::Output;
  std::string data;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.rank, self.stream, self.data);
  }
};

// Nobody writes to it any more.
struct StreamEnd {
  static constexpr int tag = 104;
  std::int32_t rank = 0;
  StreamName stream = StreamName::Output;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.rank, self.stream);
  }
};

struct TaskEnded {
  static constexpr int tag = 105;
  std::int32_t rank = 0;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool core_dumped = false;
  bool out_of_memory = false;
  std::string note;  // it never ran: why
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.rank, self.exit_code, self.exit_signal, self.core_dumped, self.out_of_memory,
          self.note);
  }
};

// All its tasks have ended and all their streams: the node says no more.
struct StepLeft {
  static constexpr int tag = 106;
  bool timed_out = false;
  bool stopped = false;  // by the controller: cancelled, or with its job
  std::string note;
  bool aborted = false;  // one of its tasks asked for the end of all
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.timed_out, self.stopped, self.note, self.aborted);
  }
};

// Nothing of it was lost, so the node may close the link: libzmq drops what it has encoded and the
// kernel has not yet taken when a socket is closed, whatever its linger.
struct StepReleased {
  static constexpr int tag = 120;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

struct InputCredit {
  static constexpr int tag = 107;
  std::int64_t bytes = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.bytes);
  }
};

struct InputBytes {
  static constexpr int tag = 108;
  std::int32_t rank = -1;  // -1: every one that gets input
  std::string data;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.rank, self.data);
  }
};

struct InputEnd {
  static constexpr int tag = 109;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

struct OutputCredit {
  static constexpr int tag = 110;
  std::int64_t bytes = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.bytes);
  }
};

struct SignalTasks {
  static constexpr int tag = 111;
  std::int32_t signal = 0;
  std::int32_t rank = -1;  // -1: all
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.signal, self.rank);
  }
};

struct WindowSize {
  static constexpr int tag = 112;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.rows, self.columns);
  }
};

// What the tasks of one node have to tell those of all others before any of them goes on: a fence
// of PMI. Told in turns, each numbered one more than the last.
struct StepGather {
  static constexpr int tag = 118;
  std::int64_t turn = 0;
  std::string data;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.turn, self.data);
  }
};

struct StepGathered {
  static constexpr int tag = 119;
  std::int64_t turn = 0;
  std::vector<std::string> data;  // of each node of the step, in their order
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.turn, self.data);
  }
};

}  // namespace cox
