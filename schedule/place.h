// Where a whole gang fits: all of its nodes or nothing. Best fit: what is left over is smallest,
// and what is scarce (GPUs, features nobody asked for) is left to those who need it. Feasibility is
// exact: when any placement exists, one is found. More room never makes a gang fit less.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "schedule/need.h"
#include "schedule/room.h"

namespace cox::schedule {

// How many of the gang's tasks this node could hold beside what its memory and GPUs allow.
std::int64_t tasks_that_fit(const Need& need, const Nodes& nodes, const Room& room, NodeAt at);

// What makes a node a worse choice, the gravest first.
struct Badness {
  bool not_required = true;
  int preferred_missed = 0;
  bool wastes_gpus = false;       // a job without GPUs on a node that has some
  std::size_t idle_features = 0;  // features it has and the job did not ask for
  double gpus_left = 0;           // fractions of the node
  double left = 0;
  NodeAt node = 0;

  auto operator<=>(const Badness&) const = default;
};

// Of a node as the only one of the gang; nothing when it cannot hold all tasks. place() takes the
// node whose badness is least.
std::optional<Badness> badness_alone(const Need& need, const Nodes& nodes, const Room& room,
                                     NodeAt at);
Shares shares_alone(const Need& need, const Nodes& nodes, const Room& room, NodeAt at);

bool fits(const Need& need, const Nodes& nodes, const Room& room);

// `preferred`: rooms in which a node had better have place already, the fewest misses first.
std::optional<Shares> place(const Need& need, const Nodes& nodes, const Room& room,
                            std::span<const Room* const> preferred = {});

}  // namespace cox::schedule
