#include "tests/sim/faults.h"

namespace cox::sim {
namespace {

constexpr std::uint64_t stream_of_faults = 1'000;
constexpr std::int64_t ten_thousand = 10'000;

}  // namespace

std::string_view name(Fault fault) {
  return fault_table[static_cast<std::size_t>(fault)].name;
}

std::optional<Fault> fault_from(std::string_view name) {
  for (const FaultRow& row : fault_table)
    if (row.name == name) return row.fault;
  return std::nullopt;
}

// Each seed draws the faults that it uses: a fault of kind EachTime with a probability of 2/3, any
// other with 1/2, because one fault may hide another. Faults of --only-fault are always used.
Faults::Faults(std::uint64_t seed, const FaultChoice& choice) {
  for (const FaultRow& fault : fault_table) {
    Row row{Random(seed, stream_of_faults + rows_.size())};
    const bool often = fault.comes == Comes::EachTime;
    const bool chosen = often ? !row.dice.one_in(3) : row.dice.one_in(2);
    row.rate = row.dice.between(fault.rate_low, fault.rate_high);
    const bool wanted = choice.only.contains(fault.fault);
    row.in_use = choice.has(fault.fault) && (chosen || wanted);
    rows_.push_back(row);
    const bool may_strike = choice.only.empty() || wanted;
    if (fault.comes == Comes::Strikes && may_strike) strokes_.push_back(fault.fault);
  }
}

bool Faults::happens(Fault fault) {
  Row& row = rows_[static_cast<std::size_t>(fault)];
  if (!active_ || !row.in_use || row.dice.below(ten_thousand) >= row.rate) return false;
  note(fault);
  return true;
}

std::vector<Fault> Faults::all_in_use() const {
  std::vector<Fault> all;
  for (const FaultRow& fault : fault_table)
    if (row(fault.fault).in_use) all.push_back(fault.fault);
  return all;
}

}  // namespace cox::sim
