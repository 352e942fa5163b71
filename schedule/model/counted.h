// What nodes have in numbers beside CPUs, memory and GPUs (GRES: FPGAs, adapters, bytes of
// scratch), and what the cluster has (licences). A kind is a position, so that rooms count by it. A
// type is counted twice: as itself, and as one of all types of its name, which are asked for
// without one.
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
using Counts = std::vector<Count>;  // by kind; of each at most one

class Counted {
 public:
  // `nodes`: in the order of their positions.
  Counted(const std::vector<const SchedulerNode*>& nodes,
          const std::vector<LicenceCount>& licences);

  // Empty: no node, or not the cluster, has anything of a kind that is asked for.
  std::optional<Counts> gres(const std::vector<GresCount>& asked) const;
  std::optional<Counts> licences(const std::vector<LicenceCount>& asked) const;
  // Of what somebody holds, the kinds that there still are.
  Counts gres_there_are(const std::vector<GresCount>& held) const;
  Counts licences_there_are(const std::vector<LicenceCount>& held) const;

  // How a kind is asked for.
  GresCount gres_of(const Count& count) const;
  LicenceCount licence_of(const Count& count) const;

  std::size_t gres_kinds() const { return kinds_.size(); }
  const std::vector<std::int64_t>& idle_gres() const {
    return idle_gres_;
  }  // node by node, by kind
  const std::vector<std::int64_t>& idle_licences() const { return idle_licences_; }
  const std::vector<std::string>& licence_names() const { return licence_names_; }

 private:
  using Kind = std::pair<std::string, std::string>;  // name and type; no type: all of the name
  std::optional<std::int32_t> find(const Kind& kind) const;
  bool add_gres(const GresCount& one, Counts& counts) const;
  bool add_licence(const LicenceCount& one, Counts& counts) const;

  std::vector<Kind> kinds_;  // sorted
  std::vector<std::int64_t> idle_gres_;
  std::vector<std::string> licence_names_;
  std::vector<std::int64_t> idle_licences_;
};

}  // namespace cox::schedule
