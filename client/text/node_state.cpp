#include "client/text/node_state.h"

#include <array>

#include "common/base/text.h"

namespace cox {
namespace {

struct Names {
  const char* compact;
  const char* whole;
};

Names base_names(NodeBase base) {
  switch (base) {
    case NodeBase::Down: return {"down", "down"};
    case NodeBase::Idle: return {"idle", "idle"};
    case NodeBase::Allocated: return {"alloc", "allocated"};
    case NodeBase::Mixed: return {"mix", "mixed"};
  }
  return {"unk", "unknown"};
}

// Returns the name of the most important flag that is set; if none is set, of the base state.
Names names(const NodeState& state) {
  const bool idle = state.base == NodeBase::Idle;
  if (state.drain && state.busy()) return {"drng", "draining"};
  if (state.drain) return {"drain", "drained"};
  if (state.maint && idle) return {"maint", "maint"};
  if (state.reserved && idle) return {"resv", "reserved"};
  return base_names(state.base);
}

std::string suffix(const NodeState& state) {
  if (state.silent) return "*";
  return state.maint && state.busy() && !state.drain ? "$" : "";
}

bool never(const NodeState&) {
  return false;
}

template <NodeBase base>
bool has_base(const NodeState& state) {
  return state.base == base;
}

// A state of nodes that a user may name, as in sinfo --states. `never`: a state of Slurm that
// Coxswain's nodes do not have.
struct NamedState {
  const char* name;
  bool (*is_in)(const NodeState& state);
};

constexpr auto named_states = std::to_array<NamedState>({
    {"unknown", never},
    {"down", has_base<NodeBase::Down>},
    {"idle", has_base<NodeBase::Idle>},
    {"allocated", [](const NodeState& s) { return s.busy(); }},
    {"mixed", has_base<NodeBase::Mixed>},
    {"future", never},
    {"drain", [](const NodeState& s) { return s.drain; }},
    {"drained", [](const NodeState& s) { return s.drain && !s.busy(); }},
    {"draining", [](const NodeState& s) { return s.drain && s.busy(); }},
    {"drng", [](const NodeState& s) { return s.drain && s.busy(); }},
    {"no_respond", [](const NodeState& s) { return s.silent; }},
    {"reserved", [](const NodeState& s) { return s.reserved; }},
    {"resv", [](const NodeState& s) { return s.reserved; }},
    {"maint", [](const NodeState& s) { return s.maint; }},
    {"perfctrs", never},
    {"npc", never},
    {"cloud", never},
    {"completing", never},
    {"planned", never},
    {"plnd", never},
    {"powering_down", never},
    {"powered_down", never},
    {"power_down", never},
    {"powering_up", never},
    {"power_up", never},
    {"fail", never},
    {"failing", never},
    {"error", never},
    {"reboot", never},
    {"blocked", never},
});

}  // namespace

NodeState node_state(const NodeView& view) {
  NodeState state;
  state.silent = !view.node.responding;
  state.drain = view.node.drained && !view.node.set_down;
  state.maint = view.maint;
  state.reserved = !view.reservations.empty();
  if (state.silent || view.node.set_down)
    state.base = NodeBase::Down;
  else if (!view.jobs.empty())
    state.base = view.cpus_used >= view.node.total.cpus ? NodeBase::Allocated : NodeBase::Mixed;
  return state;
}

std::string compact_name(const NodeState& state) {
  return names(state).compact + suffix(state);
}

std::string long_name(const NodeState& state) {
  return names(state).whole + suffix(state);
}

std::string flags_name(const NodeState& state) {
  std::string text;
  for (const std::string& name : names_of(state))
    text += (text.empty() ? "" : "+") + lower_case(name);
  return text;
}

std::vector<std::string> names_of(const NodeState& state) {
  std::vector<std::string> all;
  const char* base = state.base == NodeBase::Down        ? "DOWN"
                     : state.base == NodeBase::Idle      ? "IDLE"
                     : state.base == NodeBase::Allocated ? "ALLOCATED"
                                                         : "MIXED";
  all.emplace_back(base);
  if (state.drain) all.emplace_back("DRAIN");
  if (state.maint) all.emplace_back("MAINTENANCE");
  if (state.reserved) all.emplace_back("RESERVED");
  if (state.silent) all.emplace_back("NOT_RESPONDING");
  return all;
}

std::string cpu_load_text(const std::optional<NodeLoad>& load) {
  if (!load) return "N/A";
  constexpr std::int64_t hundred = 100;
  const std::int64_t rest = load->cpu_load_percent % hundred;
  return std::to_string(load->cpu_load_percent / hundred) + (rest < 10 ? ".0" : ".") +
         std::to_string(rest);
}

std::string free_memory_text(const std::optional<NodeLoad>& load) {
  return load ? std::to_string(load->free_memory_mb) : "N/A";
}

std::int64_t rank_of(const NodeState& state) {
  return static_cast<std::int64_t>(state.base) + (state.reserved ? 0x20 : 0) +
         (state.drain ? 0x200 : 0) + (state.silent ? 0x800 : 0) + (state.maint ? 0x8000 : 0);
}

std::string reason_user(const Node& node) {
  return node.reason_by.substr(node.reason_by.find(' ') + 1);
}

std::optional<bool> is_in_state(const NodeState& state, std::string_view word) {
  const std::string wanted = lower_case(word);
  if (wanted.empty()) return std::nullopt;
  for (const NamedState& each : named_states)
    if (std::string_view(each.name).starts_with(wanted)) return each.is_in(state);
  return std::nullopt;
}

}  // namespace cox
