// What limits count: Slurm's trackable resources (TRES), and jobs, which are limited likewise.
// Lists of them as people write them:
// "cpu=64,mem=512G,gres/gpu=8,gres/gpu:h100=4,license/matlab=2". Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

enum class Tres : std::uint8_t { Jobs, Nodes, Cpus, MemoryMb, GpuMilli, Gres, Licences };

struct TresCount {
  Tres what = Tres::Cpus;
  std::string name;        // of a GRES or a licence
  std::string type;        // of GPUs or GRES; empty: all of them together
  std::int64_t count = 0;  // MemoryMb: MiB; GpuMilli: thousandths
  std::string hours{};     // of a limit: while these are open (week_hours.h); empty: always

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.what, self.name, self.type, self.count, self.hours);
  }
  bool operator==(const TresCount&) const = default;
};
using TresList = std::vector<TresCount>;

// What jobs used that are over, each second counted less the longer ago it was (usage.h of
// schedule/ has the law). By what limits count, and by "billing" and "wall".
struct TresUsage {
  std::string tres;    // "gres/gpu:h100"
  double seconds = 0;  // of one of it: of a GPU, of a MiB

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.tres, self.seconds);
  }
  bool operator==(const TresUsage&) const = default;
};

// Refused: what is no such list, one of them twice, more than tres_per_list_max. Empty: none.
Result<TresList> parse_tres(std::string_view text);
// The same, of which some count while hours are open: "gres/gpu:h100=4,gres/gpu:h100=16@nights".
// Each once for each name of hours, and once without.
Result<TresList> parse_tres_by_hours(std::string_view text);

// In the form that they read.
std::string format_tres(const TresList& list);

// What counts while these hours are open: of each thing one, that of hours before that without.
TresList in_force(const TresList& list, const std::set<std::string>& open);

// As the configuration names them.
bool is_hours_name(std::string_view name);

// What a second of each costs whom jobs are charged to, in thousandths: "cpu=1,gres/gpu:h100=20".
// Of memory a GiB. Of a type of GPU its own alone, where there is one.
struct BillingWeight {
  TresCount of;  // without a count
  std::int64_t milli = 0;
  bool operator==(const BillingWeight&) const = default;
};
Result<std::vector<BillingWeight>> parse_billing_weights(std::string_view text);
// Writes weights in the form that parse_billing_weights() reads.
std::string format_billing_weights(const std::vector<BillingWeight>& weights);

// "gres/gpu:h100", and "2" of it.
std::string tres_name(const TresCount& one);
std::string tres_amount(const TresCount& one);

}  // namespace cox
