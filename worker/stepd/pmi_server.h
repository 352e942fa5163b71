// What MPI programs find each other by: PMI-1 and PMI-2 as MPICH and its kin speak them, on a
// socket that each task inherits (PMI_FD). This is one node's part of one step. A task puts keys;
// at a fence the new ones of all nodes are gathered (StepGather) and from then on every task can
// get them.
//
// PMI-1 is lines of "cmd=put kvsname=K key=a value=b"; PMI-2 is frames of
// "cmd=kvs-put;key=a;value=b;" behind a length of six characters. Which of them a task speaks its
// first line says (MPICH, src/pmi/src/pmi_v1.c, pmi_v2.c).
//
// Pure; worker/stepd/io/live_step reads and writes the sockets.
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

// The whole step, as its tasks may ask.
struct Shape {
  std::string name;                          // of the step, for the name of its keys
  std::vector<std::int32_t> ranks;           // here
  std::int64_t tasks = 0;                    // of all nodes
  std::vector<std::int64_t> tasks_per_node;  // of each node, in their order
  bool block = true;                         // ranks fill one node after the other
  std::int64_t nodes = 1;                    // that take part in a fence
};

struct Write {
  std::size_t local = 0;
  std::string bytes;
};
struct Gather {  // what is new here, once all tasks here are in the fence
  std::int64_t turn = 0;
  std::string data;
};
struct Abort {  // a task wants all of them ended
  std::size_t local = 0;
  std::string message;
};
using Action = std::variant<Write, Gather, Abort>;

inline constexpr std::size_t line_bytes_max = 64u << 10;
inline constexpr std::size_t keys_bytes_max = 64u << 20;  // put here, in all fences together

}  // namespace pmi

class PmiServer {
 public:
  explicit PmiServer(pmi::Shape shape);

  // What a task has written. One that says what nobody understands is answered no more.
  std::vector<pmi::Action> on_bytes(std::size_t local, std::string_view bytes);
  // What all nodes had, in their order. Another turn than the one awaited is passed over.
  std::vector<pmi::Action> on_gathered(std::int64_t turn, const std::vector<std::string>& data);

 private:
  using Fields = std::map<std::string, std::string, std::less<>>;
  enum class Tongue : std::uint8_t { Unknown, Lines, Frames, None };
  struct Task {
    std::string unread;
    Tongue tongue = Tongue::Unknown;
    bool in_fence = false;
  };

  void speak(std::size_t local, const Fields& said);
  void speak_lines(std::size_t local, std::string_view command, const Fields& said);
  void speak_frames(std::size_t local, std::string_view command, const Fields& said);
  void init(std::size_t local, const Fields& said);
  bool put(const Fields& said);
  void fence(std::size_t local);
  void answer(std::size_t local, const std::string& text);
  void abort(std::size_t local, std::string message);
  std::string attribute(std::string_view key) const;

  pmi::Shape shape_;
  std::vector<Task> tasks_;
  std::map<std::string, std::string, std::less<>> keys_;   // of all nodes, since their last fence
  std::map<std::string, std::string, std::less<>> fresh_;  // put here since then
  std::size_t keys_bytes_ = 0;
  std::int64_t turn_ = 0;
  std::vector<pmi::Action> actions_;
};

// "(vector,(0,2,4))": from node 0 on two nodes with four ranks each (MPICH's PMI_process_mapping).
std::string process_mapping(const pmi::Shape& shape);

}  // namespace cox
