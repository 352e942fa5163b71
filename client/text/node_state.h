// What a node is doing, in Slurm's terms: a base and flags, and the words for them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/messages/messages.h"

namespace cox {

enum class NodeBase : std::uint8_t { Down = 1, Idle = 2, Allocated = 3, Mixed = 5 };  // Slurm's

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
std::int64_t rank_of(const NodeState& state);           // Slurm's number

// These two format the load that the node last reported, as Slurm writes it; "N/A" if it is
// unknown.
std::string cpu_load_text(const std::optional<NodeLoad>& load);     // "1.50"
std::string free_memory_text(const std::optional<NodeLoad>& load);  // in MB: "2048"

// Returns who drained the node: a user's name, "controller" or the name of the node. Empty: the
// node is not drained, or was drained before this was recorded.
std::string reason_user(const Node& node);

// A state that may be asked for, in whatever case, or a beginning of its name: whether a node is in
// it. Nothing: there is no such state.
std::optional<bool> is_in_state(const NodeState& state, std::string_view word);

}  // namespace cox
