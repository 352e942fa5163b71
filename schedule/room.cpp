#include "schedule/room.h"

#include <algorithm>
#include <bit>

namespace cox::schedule {

Room Room::idle(const Nodes& nodes) {
  Room room;
  room.room_.reserve(static_cast<std::size_t>(nodes.size()));
  for (NodeAt at = 0; at < nodes.size(); ++at) {
    const NodeFacts& facts = nodes[at];
    const NodeResources& total = facts.node->total;
    room.room_.push_back({total.cpus, total.memory_mb, facts.gpus, 0});
  }
  return room;
}

void Room::take(const Shares& shares) {
  for (const Share& share : shares) {
    NodeRoom& room = room_[static_cast<std::size_t>(share.node)];
    room.cpus -= share.cpus;
    room.memory_mb -= share.memory_mb;
    room.gpus &= ~share.gpus;
    ++room.holders;
  }
}

void Room::give_back(const Shares& shares) {
  for (const Share& share : shares) {
    NodeRoom& room = room_[static_cast<std::size_t>(share.node)];
    room.cpus += share.cpus;
    room.memory_mb += share.memory_mb;
    room.gpus |= share.gpus;
    --room.holders;
  }
}

void Room::hold_back(const Shares& shares) {
  for (const Share& share : shares) {
    NodeRoom& room = room_[static_cast<std::size_t>(share.node)];
    room.cpus -= std::min(share.cpus, std::max<std::int64_t>(room.cpus, 0));
    room.memory_mb -= std::min(share.memory_mb, std::max<std::int64_t>(room.memory_mb, 0));
    room.gpus &= ~share.gpus;
    ++room.holders;
  }
}

void Room::limit_to(const Room& other) {
  for (std::size_t i = 0; i < room_.size(); ++i) {
    NodeRoom& room = room_[i];
    const NodeRoom& limit = other.room_[i];
    room.cpus = std::min(room.cpus, limit.cpus);
    room.memory_mb = std::min(room.memory_mb, limit.memory_mb);
    room.gpus &= limit.gpus;
    room.holders = std::max(room.holders, limit.holders);
  }
}

Shares shares_of(const Nodes& nodes, const Placement& grants) {
  Shares shares;
  shares.reserve(grants.size());
  for (const NodeGrant& grant : grants) {
    const auto at = nodes.find(grant.node);
    if (!at) continue;
    const auto& indices = nodes[*at].gpu_indices;
    GpuBits gpus = 0;
    for (std::size_t bit = 0; bit < indices.size(); ++bit)
      if (std::ranges::find(grant.gpus, indices[bit]) != grant.gpus.end())
        gpus |= GpuBits{1} << bit;
    shares.push_back({*at, grant.ranks, grant.cpus, grant.memory_mb, gpus});
  }
  std::ranges::sort(shares, {}, &Share::node);
  return shares;
}

Placement placement_of(const Nodes& nodes, const Shares& shares) {
  Placement placement;
  placement.reserve(shares.size());
  std::int32_t next_rank = 0;
  for (const Share& share : shares) {
    NodeGrant grant;
    grant.node = nodes.name(share.node);
    grant.first_rank = next_rank;
    grant.ranks = static_cast<std::int32_t>(share.ranks);
    grant.cpus = share.cpus;
    grant.memory_mb = share.memory_mb;
    for (GpuBits left = share.gpus; left != 0; left &= left - 1)
      grant.gpus.push_back(
          nodes[share.node].gpu_indices[static_cast<std::size_t>(std::countr_zero(left))]);
    next_rank += grant.ranks;
    placement.push_back(std::move(grant));
  }
  return placement;
}

}  // namespace cox::schedule
