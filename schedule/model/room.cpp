#include "schedule/model/room.h"

#include <algorithm>
#include <bit>

namespace cox::schedule {
namespace {

void for_each_gpu(GpuBits gpus, const auto& visit) {
  for (GpuBits left = gpus; left != 0; left &= left - 1) visit(std::countr_zero(left));
}

NodeRoom least(const NodeRoom& a, const NodeRoom& b) {
  return {std::min(a.cpus, b.cpus), std::min(a.memory_mb, b.memory_mb), a.gpus & b.gpus,
          std::max(a.holders, b.holders)};
}

}  // namespace

Room Room::idle(const Nodes& nodes) {
  Room room;
  room.first_gpu_ = &nodes.first_gpu();
  room.milli_.assign(nodes.first_gpu().back(), gpu_whole);
  room.room_.reserve(static_cast<std::size_t>(nodes.size()));
  for (NodeAt at = 0; at < nodes.size(); ++at) {
    const NodeFacts& facts = nodes[at];
    const NodeResources& total = facts.node->total;
    room.room_.push_back({total.cpus, total.memory_mb, facts.gpus, 0});
  }
  room.gres_kinds_ = nodes.counted().gres_kinds();
  room.gres_ = nodes.counted().idle_gres();
  room.licences_ = nodes.counted().idle_licences();
  return room;
}

std::span<const std::uint16_t> Room::gpu_milli(NodeAt at) const {
  return {milli_.data() + first_gpu(at), milli_.data() + first_gpu(at + 1)};
}

void Room::take_gpus(NodeAt at, const NodePart& share) {
  room_[static_cast<std::size_t>(at)].gpus &= ~share.gpus;
  std::uint16_t* milli = milli_of(at);
  for_each_gpu(share.gpus, [&](int device) {
    milli[device] = static_cast<std::uint16_t>(std::max(0, milli[device] - share.gpu_milli));
  });
}

void Room::give_back_gpus(NodeAt at, const NodePart& share) {
  NodeRoom& room = room_[static_cast<std::size_t>(at)];
  std::uint16_t* milli = milli_of(at);
  for_each_gpu(share.gpus, [&](int device) {
    milli[device] =
        static_cast<std::uint16_t>(std::min(gpu_whole, milli[device] + share.gpu_milli));
    if (milli[device] == gpu_whole) room.gpus |= GpuBits{1} << device;
  });
}

bool Room::has_gres(NodeAt at, const Counts& counts) const {
  const std::size_t first = static_cast<std::size_t>(at) * gres_kinds_;
  return std::ranges::all_of(counts, [&](const Count& count) {
    return gres_[first + static_cast<std::size_t>(count.kind)] >= count.count;
  });
}

bool Room::has_licences(const Counts& counts) const {
  return std::ranges::all_of(counts, [&](const Count& count) {
    return licences_[static_cast<std::size_t>(count.kind)] >= count.count;
  });
}

// Counts may become negative, as CPUs may: jobs keep what they hold even if a node now reports
// less.
void Room::change_counted(const GangParts& shares, std::int64_t by) {
  for (const Count& count : shares.licences)
    licences_[static_cast<std::size_t>(count.kind)] += by * count.count;
  for (const Count& count : shares.each)
    for (const NodePart& share : shares)
      gres_[static_cast<std::size_t>(share.node) * gres_kinds_ +
            static_cast<std::size_t>(count.kind)] += by * count.count;
}

void Room::take(const GangParts& shares) {
  change_counted(shares, -1);
  for (const NodePart& share : shares) {
    NodeRoom& room = room_[static_cast<std::size_t>(share.node)];
    room.cpus -= share.cpus;
    room.memory_mb -= share.memory_mb;
    if (share.gpus != 0) take_gpus(share.node, share);
    room.holders += share.holders;
  }
}

void Room::give_back(const GangParts& shares) {
  change_counted(shares, 1);
  for (const NodePart& share : shares) {
    NodeRoom& room = room_[static_cast<std::size_t>(share.node)];
    room.cpus += share.cpus;
    room.memory_mb += share.memory_mb;
    if (share.gpus != 0) give_back_gpus(share.node, share);
    room.holders -= share.holders;
  }
}

void Room::hold_back(const GangParts& shares) {
  change_counted(shares, -1);
  for (const NodePart& share : shares) {
    NodeRoom& room = room_[static_cast<std::size_t>(share.node)];
    room.cpus -= std::min(share.cpus, std::max<std::int64_t>(room.cpus, 0));
    room.memory_mb -= std::min(share.memory_mb, std::max<std::int64_t>(room.memory_mb, 0));
    if (share.gpus != 0) take_gpus(share.node, share);
    room.holders += share.holders;
  }
}

bool Room::covers(const GangParts& shares) const {
  if (!has_licences(shares.licences)) return false;
  return std::ranges::all_of(shares, [&](const NodePart& share) {
    const NodeRoom& room = (*this)[share.node];
    if (!has_gres(share.node, shares.each)) return false;
    if (room.cpus < share.cpus) return false;
    if (share.memory_mb > 0 && room.memory_mb < share.memory_mb) return false;
    bool all = true;
    for_each_gpu(share.gpus, [&](int device) {
      all = all && gpu_milli(share.node)[static_cast<std::size_t>(device)] >= share.gpu_milli;
    });
    return all;
  });
}

void Room::limit_to(const Room& other) {
  for (std::size_t i = 0; i < room_.size(); ++i) room_[i] = least(room_[i], other.room_[i]);
  for (std::size_t i = 0; i < milli_.size(); ++i) milli_[i] = std::min(milli_[i], other.milli_[i]);
  for (std::size_t i = 0; i < gres_.size(); ++i) gres_[i] = std::min(gres_[i], other.gres_[i]);
  for (std::size_t i = 0; i < licences_.size(); ++i)
    licences_[i] = std::min(licences_[i], other.licences_[i]);
}

void Room::set_least(NodeAt at, const Room& a, const Room& b) {
  room_[static_cast<std::size_t>(at)] = least(a[at], b[at]);
  for (std::size_t i = first_gpu(at); i < first_gpu(at + 1); ++i)
    milli_[i] = std::min(a.milli_[i], b.milli_[i]);
  const std::size_t first = static_cast<std::size_t>(at) * gres_kinds_;
  for (std::size_t i = first; i < first + gres_kinds_; ++i)
    gres_[i] = std::min(a.gres_[i], b.gres_[i]);
  for (std::size_t i = 0; i < licences_.size(); ++i)
    licences_[i] = std::min(a.licences_[i], b.licences_[i]);
}

GangParts shares_of(const Nodes& nodes, const Placement& grants, const Request& request) {
  GangParts shares;
  shares.each = nodes.counted().gres_there_are(request.gres);
  shares.licences = nodes.counted().licences_there_are(request.licences);
  shares.parts.reserve(grants.size());
  for (const NodeGrant& grant : grants) {
    const auto at = nodes.find(grant.node);
    if (!at) continue;
    const auto& indices = nodes[*at].gpu_indices;
    GpuBits gpus = 0;
    for (std::size_t bit = 0; bit < indices.size(); ++bit)
      if (std::ranges::find(grant.gpus, indices[bit]) != grant.gpus.end())
        gpus |= GpuBits{1} << bit;
    NodePart share{*at, grant.ranks, grant.cpus, grant.memory_mb, gpus, grant.gpu_milli};
    share.component = grant.component;
    shares.parts.push_back(share);
  }
  std::ranges::sort(shares.parts, {}, &NodePart::node);
  return shares;
}

GangParts cpus_of(const GangParts& shares) {
  GangParts cpus;
  cpus.parts.reserve(shares.size());
  for (const NodePart& share : shares) {
    NodePart part;
    part.node = share.node;
    part.cpus = share.cpus;
    part.holders = 0;
    cpus.parts.push_back(part);
  }
  return cpus;
}

GangParts all_but_cpus_of(const GangParts& shares) {
  GangParts rest = shares;
  for (NodePart& share : rest.parts) share.cpus = 0;
  return rest;
}

Placement placement_of(const Nodes& nodes, const GangParts& shares) {
  Placement placement;
  placement.reserve(shares.size());
  std::int32_t next_rank = 0;
  std::vector<NodePart> in_order = shares.parts;
  std::ranges::stable_sort(in_order, {}, &NodePart::component);
  for (const NodePart& share : in_order) {
    NodeGrant grant;
    grant.node = nodes.name(share.node);
    grant.first_rank = next_rank;
    grant.ranks = static_cast<std::int32_t>(share.ranks);
    grant.cpus = share.cpus;
    grant.memory_mb = share.memory_mb;
    grant.gpu_milli = share.gpu_milli;
    grant.component = share.component;
    for_each_gpu(share.gpus, [&](int device) {
      grant.gpus.push_back(nodes[share.node].gpu_indices[static_cast<std::size_t>(device)]);
    });
    next_rank += grant.ranks;
    placement.push_back(std::move(grant));
  }
  return placement;
}

}  // namespace cox::schedule
