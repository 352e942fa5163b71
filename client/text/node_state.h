// The state of a node in Slurm's terms: a base state and flags, with Slurm's names for them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/messages/messages.h"

namespace cox {

// Base states of a node; the values are Slurm's numbers.
enum class NodeBase : std::uint8_t { Down = 1, Idle = 2, Allocated = 3, Mixed = 5 };

struct NodeState {
  NodeBase base = NodeBase::Idle;
  bool drain = false;
  bool silent = false;
  bool maint = false;
  bool reserved = false;

  bool busy() const { return base == NodeBase::Allocated || base == NodeBase::Mixed; }
  bool operator==(const NodeState&) const = default;
};

NodeState node_state(const NodeView& view);

std::string compact_name(const NodeState& state);       // "mix", "drng", "down*"
std::string long_name(const NodeState& state);          // "mixed", "draining", "down*"
std::string flags_name(const NodeState& state);         // "idle+drain"
std::vector<std::string> names_of(const NodeState& s);  // "IDLE", "DRAIN"
std::int64_t rank_of(const NodeState& state);  // Slurm's number of the state; sinfo sorts by it

// These two format the CPU load and the free memory that the node last reported, as Slurm writes
// them; "N/A" if the node has reported none.
std::string cpu_load_text(const std::optional<NodeLoad>& load);     // "1.50"
std::string free_memory_text(const std::optional<NodeLoad>& load);  // in MB: "2048"

// Returns who drained the node: a user's name, "controller" or the name of the node. Empty: the
// node is not drained, or was drained before this was recorded.
std::string reason_user(const Node& node);

// Returns whether the node is in the state that `word` names. `word` is the name of a state of
// Slurm or its first letters, in upper or lower case. Returns nothing if there is no such state.
std::optional<bool> is_in_state(const NodeState& state, std::string_view word);

}  // namespace cox
