// The messages between srun and the nodes of a step, about the tasks and their streams. Each node
// opens a link to srun (StreamPlace) for them. The controller forwards none of them.
//
//   node → srun   StepJoin, TasksBegun, StreamBytes, StreamEnd, TaskEnded, InputCredit, StepLeft
//   srun → node   StepBegin in answer to StepJoin, InputBytes, InputEnd, OutputCredit, SignalTasks,
//                 WindowSize, StepReleased in answer to StepLeft
//   both ways     StepGather from each node, and StepGathered to each once all have come
//
// No byte of a stream is lost, and their order is kept. Each side sends only as many bytes as the
// other side has given credit for. Each StreamBytes and InputBytes costs its bytes plus
// stream_cost, which also bounds the number of small messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/job/step.h"

namespace cox {

// Credit in bytes that each message costs besides its data.
inline constexpr std::int64_t stream_cost = 16 << 10;
// Bytes that a node may send before srun gives it new credit.
inline constexpr std::int64_t stream_credit = 8ll << 20;
// Bytes that srun may send to a node before the node gives new credit.
inline constexpr std::int64_t input_credit = 1ll << 20;
inline constexpr std::size_t stream_chunk_bytes_max = 256u << 10;

enum class StreamName : std::uint8_t { Output, Error };

// The first message of a node: its part of the step, as it got that from the controller.
struct StepJoin {
  static constexpr int tag = 100;
  std::int32_t number = 0;
  std::int32_t node_index = 0;  // index of the node among the nodes of the step
  std::string node;
  std::vector<std::int32_t> ranks;

  COX_FIELDS(number, node_index, node, ranks);
};

// Where a task reads its input from, or writes its output to.
enum class StreamMode : std::uint8_t {
  Client,  // srun
  File,    // a file on the node, opened by each task as the user; see output_path.h
  Null,
};

struct StreamWish {
  StreamMode mode = StreamMode::Client;
  std::string path;  // for File: the file name pattern (output_path.h)
  bool append = false;

  COX_FIELDS(mode, path, append);
};

// A command and the ranks that run it. If several commands list a rank, it runs the first of them.
struct TaskCommand {
  std::vector<std::int32_t> ranks;  // empty: all
  std::vector<std::string> words;

  COX_FIELDS(ranks, words);
};

struct StepBegin {
  static constexpr int tag = 101;
  std::vector<TaskCommand> commands;
  std::string environment;  // NAME=value\0 blocks
  std::string work_dir;
  std::int32_t umask = 022;
  StreamWish input;
  StreamWish output;
  StreamWish error;  // with `error_joins` and mode Client it goes into the output
  bool error_joins = false;
  std::int32_t input_rank = -1;  // rank that gets the input of srun; -1: all ranks
  std::int32_t pty_rank = -1;    // rank that gets a terminal of its own; -1: none
  std::int32_t rows = 0;         // of that terminal
  std::int32_t columns = 0;
  std::int64_t credit = 0;  // initial OutputCredit
  // The PMI by which the tasks find each other: "pmi2" or "pmix"; "none" or empty: none.
  std::string mpi{};
  std::string task_map{};  // ranks of each node: "0,1;2,3"; empty without `mpi`
  // Whether each task writes its output to a terminal of its own, so that programs flush each line.
  bool unbuffered = false;
  // Paths of the user's programs that run before and after each task, besides those of the site;
  // empty: none.
  std::string task_prolog{};
  std::string task_epilog{};
  // The container options of the tasks, such as "container-image=..." (container.h); empty: no
  // container.
  std::vector<std::string> container{};

  COX_FIELDS(commands, environment, work_dir, umask, input, output, error, error_joins, input_rank,
             pty_rank, rows, columns, credit, mpi, task_map, unbuffered, task_prolog, task_epilog,
             container);
};

struct TasksBegun {
  static constexpr int tag = 102;
  // Process ids of the node's tasks, in the order of StepJoin::ranks.
  std::vector<std::int64_t> pids;
  COX_FIELDS(pids);
};

struct StreamBytes {
  static constexpr int tag = 103;
  std::int32_t rank = 0;
  StreamName stream = StreamName::Output;
  std::string data;
  COX_FIELDS(rank, stream, data);
};

// The stream of a task has ended: no process can write to it any more.
struct StreamEnd {
  static constexpr int tag = 104;
  std::int32_t rank = 0;
  StreamName stream = StreamName::Output;
  COX_FIELDS(rank, stream);
};

struct TaskEnded {
  static constexpr int tag = 105;
  std::int32_t rank = 0;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool core_dumped = false;
  bool out_of_memory = false;
  std::string note;  // why the task did not start; empty: it did
  COX_FIELDS(rank, exit_code, exit_signal, core_dumped, out_of_memory, note);
};

// The last message of a node: all tasks there have ended, and all their streams.
struct StepLeft {
  static constexpr int tag = 106;
  bool timed_out = false;
  bool stopped = false;  // ended by the controller: cancelled, or its job ended
  std::string note;
  bool aborted = false;  // a task has asked for the end of all tasks (PMI abort)
  COX_FIELDS(timed_out, stopped, note, aborted);
};

// The answer of srun to StepLeft: it has received everything, so the node may close the link. If
// the node closed it sooner, libzmq would drop data that the kernel has not taken yet, whatever the
// linger time is.
struct StepReleased {
  static constexpr int tag = 120;
  COX_FIELDS();
};

struct InputCredit {
  static constexpr int tag = 107;
  std::int64_t bytes = 0;
  COX_FIELDS(bytes);
};

struct InputBytes {
  static constexpr int tag = 108;
  std::int32_t rank = -1;  // rank that gets the bytes; below 0: all ranks that get input
  std::string data;
  COX_FIELDS(rank, data);
};

struct InputEnd {
  static constexpr int tag = 109;
  COX_FIELDS();
};

struct OutputCredit {
  static constexpr int tag = 110;
  std::int64_t bytes = 0;
  COX_FIELDS(bytes);
};

struct SignalTasks {
  static constexpr int tag = 111;
  std::int32_t signal = 0;
  std::int32_t rank = -1;  // -1: all
  COX_FIELDS(signal, rank);
};

struct WindowSize {
  static constexpr int tag = 112;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  COX_FIELDS(rows, columns);
};

// The data that the tasks of one node contribute to a PMI fence, at which all tasks of the step
// wait for each other. `turn` numbers the fences.
struct StepGather {
  static constexpr int tag = 118;
  std::int64_t turn = 0;
  std::string data;
  COX_FIELDS(turn, data);
};

struct StepGathered {
  static constexpr int tag = 119;
  std::int64_t turn = 0;
  std::vector<std::string> data;  // the data of each node, in the order of the step's nodes
  COX_FIELDS(turn, data);
};

}  // namespace cox
