// The resources that limits count: Slurm's trackable resources (TRES), and jobs. Also parses and
// formats lists of them, such as "cpu=64,mem=512G,gres/gpu=8,gres/gpu:h100=4,license/matlab=2".
// Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"

namespace cox {

enum class Tres : std::uint8_t { Jobs, Nodes, Cpus, MemoryMb, GpuMilli, Gres, Licences };

struct TresCount {
  Tres what = Tres::Cpus;
  std::string name;        // name of the GRES or licence, such as "fpga"
  std::string type;        // type of the GPUs or GRES; empty: all types together
  std::int64_t count = 0;  // amount; in MiB for MemoryMb, in thousandths for GpuMilli
  // Name of opening hours (week_hours.h), if a limit applies only during these, as in cpu=8@nights;
  // empty: it always applies.
  std::string hours{};

  COX_FIELDS(what, name, type, count, hours);
  bool operator==(const TresCount&) const = default;
};
using TresList = std::vector<TresCount>;

// The usage of one resource by jobs that have ended; also of "billing" and "wall". A second counts
// less the longer ago it was (schedule/model/usage.h defines the decay).
struct TresUsage {
  std::string tres;    // "gres/gpu:h100"
  double seconds = 0;  // use in seconds, times the number of CPUs, GPUs or MiB

  COX_FIELDS(tres, seconds);
  bool operator==(const TresUsage&) const = default;
};

// Parses a TRES list without hours; an empty text is an empty list. Refuses an invalid list, a
// resource that occurs twice, and more than tres_per_list_max entries.
Result<TresList> parse_tres(std::string_view text);
// Parses a TRES list in which an entry may end in the name of opening hours, and then applies only
// during these: "gres/gpu:h100=4,gres/gpu:h100=16@nights". A resource may occur once for each name
// of hours, and once without hours.
Result<TresList> parse_tres_by_hours(std::string_view text);

// Writes a list in the form that parse_tres() and parse_tres_by_hours() read.
std::string format_tres(const TresList& list);

// Returns the entries that apply while the opening hours named in `open` are open, one for each
// resource. An entry with hours then replaces the entry without.
TresList in_force(const TresList& list, const std::set<std::string>& open);

// Returns whether the text is a valid name for opening hours in [hours].
bool is_hours_name(std::string_view name);

// What one second of a resource costs the account that is charged, in thousandths of a billing
// unit: "cpu=1,gres/gpu:h100=20". Memory is counted in GiB. A GPU type with a weight of its own is
// charged by that weight only.
struct BillingWeight {
  TresCount of;  // without a count
  std::int64_t milli = 0;
  bool operator==(const BillingWeight&) const = default;
};
Result<std::vector<BillingWeight>> parse_billing_weights(std::string_view text);
// Writes weights in the form that parse_billing_weights() reads.
std::string format_billing_weights(const std::vector<BillingWeight>& weights);

// These return an entry's two parts as text: the name "gres/gpu:h100" and the amount "2".
std::string tres_name(const TresCount& one);
std::string tres_amount(const TresCount& one);

}  // namespace cox
