// Converts GRES and licences between names and positions ("kinds"), so that a Room (room.h) counts
// them by position. GRES are countable things of a node beside CPUs, memory and GPUs (FPGAs,
// adapters, bytes of scratch); licences are those of the cluster. A GRES with a type is counted
// twice: as its type, and as one of its name. A request without a type asks for the name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

struct Count {
  std::int32_t kind = 0;
  std::int64_t count = 0;
  bool operator==(const Count&) const = default;
};
using Counts = std::vector<Count>;  // sorted by kind; each kind at most once

class Counted {
 public:
  // `nodes` are in the order of their positions.
  Counted(const std::vector<const SchedulerNode*>& nodes,
          const std::vector<LicenceCount>& licences);

  // Return the counts that a request asks for, by kind. Empty if no node has the kind, or the
  // cluster does not have the licence.
  std::optional<Counts> gres(const std::vector<GresCount>& requested) const;
  std::optional<Counts> licences(const std::vector<LicenceCount>& requested) const;
  // Return what a job holds, by kind. Kinds that no longer exist are left out.
  Counts gres_there_are(const std::vector<GresCount>& held) const;
  Counts licences_there_are(const std::vector<LicenceCount>& held) const;

  // Convert a count by kind to one by name and type, as a request has it.
  GresCount gres_of(const Count& count) const;
  LicenceCount licence_of(const Count& count) const;

  std::size_t gres_kinds() const { return kinds_.size(); }
  // Returns the GRES of all nodes when idle: the counts of all kinds of the first node, then those
  // of the next.
  const std::vector<std::int64_t>& idle_gres() const { return idle_gres_; }
  const std::vector<std::int64_t>& idle_licences() const { return idle_licences_; }
  const std::vector<std::string>& licence_names() const { return licence_names_; }

 private:
  // name and type; an empty type stands for all types of the name
  using Kind = std::pair<std::string, std::string>;
  std::optional<std::int32_t> find(const Kind& kind) const;
  bool add_gres(const GresCount& one, Counts& counts) const;
  bool add_licence(const LicenceCount& one, Counts& counts) const;

  std::vector<Kind> kinds_;  // sorted
  std::vector<std::int64_t> idle_gres_;
  std::vector<std::string> licence_names_;
  std::vector<std::int64_t> idle_licences_;
};

}  // namespace cox::schedule
