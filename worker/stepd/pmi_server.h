// A server of PMI-1 and PMI-2, by which MPI programs (MPICH and its derivatives) exchange
// addresses. Each task inherits a socket to it (PMI_FD). It serves the tasks of one step on one
// node. A task puts keys; at a fence the new keys of all nodes are gathered (StepGather), and every
// task can get them from then on.
//
// PMI-1 has lines such as "cmd=put kvsname=K key=a value=b". PMI-2 has frames such as
// "cmd=kvs-put;key=a;value=b;" after a length of six characters. The first line of a task shows
// which one it uses (MPICH, src/pmi/src/pmi_v1.c, pmi_v2.c).
//
// This class is pure; worker/stepd/io/pmi_sockets.cpp reads and writes the tasks' sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cox {

namespace pmi {

// The layout of the step, which tasks can query.
struct Shape {
  std::string name;                          // name of the step and of its key space
  std::vector<std::int32_t> ranks;           // on this node
  std::int64_t tasks = 0;                    // on all nodes
  std::vector<std::int64_t> tasks_per_node;  // numbers of tasks, in the order of the nodes
  bool block = true;                         // ranks fill one node after the other (block)
  std::int64_t nodes = 1;                    // nodes that take part in a fence
};

struct Write {  // bytes to send to a task
  std::size_t local = 0;
  std::string bytes;
};
// This node's part of a fence: its new keys, once all its tasks have reached the fence.
struct Gather {
  std::int64_t turn = 0;
  std::string data;
};
struct Abort {  // a task asks to end all tasks, or broke the protocol
  std::size_t local = 0;
  std::string message;
};
using Action = std::variant<Write, Gather, Abort>;

inline constexpr std::size_t line_bytes_max = 64u << 10;
// Limit on all keys that this node's tasks put.
inline constexpr std::size_t keys_bytes_max = 64u << 20;

}  // namespace pmi

class PmiServer {
 public:
  explicit PmiServer(pmi::Shape shape);

  // Handles bytes that a task has sent. A task that breaks the protocol gets no more replies.
  std::vector<pmi::Action> on_bytes(std::size_t local, std::string_view bytes);
  // Ends fence number `turn` with the data of all nodes, in the order of the nodes. Ignored if this
  // is not the current fence.
  std::vector<pmi::Action> on_gathered(std::int64_t turn, const std::vector<std::string>& data);

 private:
  using Fields = std::map<std::string, std::string, std::less<>>;
  enum class Protocol : std::uint8_t { Unknown, Lines, Frames, None };
  struct Task {
    std::string unread;
    Protocol protocol = Protocol::Unknown;
    bool in_fence = false;
  };

  void handle(std::size_t local, const Fields& fields);
  void handle_lines(std::size_t local, std::string_view command, const Fields& fields);
  void handle_frames(std::size_t local, std::string_view command, const Fields& fields);
  void init(std::size_t local, const Fields& fields);
  bool put(const Fields& fields);
  void fence(std::size_t local);
  void answer(std::size_t local, const std::string& text);
  void abort(std::size_t local, std::string message);
  std::string attribute(std::string_view key) const;

  pmi::Shape shape_;
  std::vector<Task> tasks_;
  std::map<std::string, std::string, std::less<>> keys_;  // keys of all nodes, as of the last fence
  std::map<std::string, std::string, std::less<>> fresh_;  // keys put on this node since that fence
  std::size_t keys_bytes_ = 0;
  std::int64_t turn_ = 0;
  std::vector<pmi::Action> actions_;
};

// Returns MPICH's PMI_process_mapping. "(vector,(0,2,4))": beginning with node 0, two nodes with
// four ranks each.
std::string process_mapping(const pmi::Shape& shape);

}  // namespace cox
