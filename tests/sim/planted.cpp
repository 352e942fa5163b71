#include "tests/sim/planted.h"

namespace cox::sim {
namespace {

const std::vector<PlantedRow> table{
    {PlantedBug::GoesHoweverLate,
     "goes-however-late",
     "a worker lets a lone attempt go, whatever it has said since the Prepare was sent",
     {"still runs", "its ranks run on", "over-commit", "is started twice"},
     {Fault::Delay, Fault::NodeCutOff, Fault::ControllerCutOff, Fault::ControllerStops}},
    {PlantedBug::FreezesInWordsOnly,
     "freezes-in-words-only",
     "a launcher says that its ranks stand still, and lets them run",
     {"though it stands still"}},
    {PlantedBug::GoesUnasked,
     "goes-unasked",
     "a launcher starts ranks as soon as its own node is ready",
     {"starts before node"}},
    {PlantedBug::LeaseNeverEnds,
     "lease-never-ends",
     "supervisors never stop by themselves",
     {"still runs", "its ranks run on", "over-commit"}},
    {PlantedBug::ForgetsLastCommit,
     "forgets-last-commit",
     "a store says \"committed\" before it is true",
     {"is forgotten"}},
    {PlantedBug::CountsUsageTwice,
     "counts-usage-twice",
     "a store adds what was used once more when a job is requeued",
     {"is recorded to have used"}},
    {PlantedBug::ForgetsLimits,
     "forgets-limits",
     "a store now and then reads tiers without their limits",
     {"starts beyond a limit", "that wait or run", "and one has more"}},
    {PlantedBug::NeverCloses,
     "never-closes",
     "a controller knows nothing of partitions' hours",
     {"outside its hours"}},
    {PlantedBug::ForgetsWaits,
     "forgets-waits",
     "a store loads jobs that depend on others as if they did not",
     {"starts while it is written that it waits", "what it waited for has not come",
      "starts before what it depends on", "waits for something else than"}},
    {PlantedBug::WaitsForNobody,
     "waits-for-nobody",
     "a store loads them as if they depended on who never ends",
     {"what it depends on is decided"}},
    {PlantedBug::ReleasesTwice,
     "releases-twice",
     "a store loads who was released as if he waited still",
     {"is released twice"}},
    {PlantedBug::TakesAmbiguousForLost,
     "takes-ambiguous-for-lost",
     "a store writes a turn again when it does not know whether it has happened",
     {"the guard of a change", "was issued twice", "begins twice", "after it ended"}},
    {PlantedBug::TakesLostForCommitted,
     "takes-lost-for-committed",
     "a store says \"committed\" of a turn that was lost with its connection",
     {"is forgotten", "is not as it is committed", "changes but was never added"}},
    {PlantedBug::WritesUnfenced,
     "writes-unfenced",
     "a store takes the turns of a former leader",
     {"after term", "is not as it is committed"}},
    {PlantedBug::ObeysLowerTerms,
     "obeys-lower-terms",
     "a worker does as a former leader tells it",
     {"obeys term"}},
    {PlantedBug::LeavesOutTheGrace,
     "leaves-out-the-grace",
     "a controller gives room away at the lease's end, without grace, wait and margin",
     {"still runs", "its ranks run on", "over-commit"}},
    {PlantedBug::DriftsBeyondTheBound,
     "drifts-beyond-the-bound",
     "nodes' boot clocks lose a third",
     {"still runs", "its ranks run on", "over-commit"},
     {},
     660},
    {PlantedBug::ForgetsItsAttempts,
     "forgets-its-attempts",
     "a worker that starts again does not look for what still runs",
     {"still runs", "its ranks run on", "over-commit", "is started twice"}},
    {PlantedBug::ClaimsMoreThanThereIs,
     "claims-more-than-there-is",
     "a worker tells of more CPUs than its node has",
     {"over-commit"}},
    {PlantedBug::RestartsFromZero,
     "restarts-from-zero",
     "an attempt does not take up the checkpoint that it was given",
     {"repeats step"}},
    {PlantedBug::SealsNothing,
     "seals-nothing",
     "a supervisor reports a step as saved that it has not sealed",
     {"has not saved it", "gone or were never whole"}},
    {PlantedBug::TellsOfNoLoss,
     "tells-of-no-loss",
     "a worker reports the ranks of a lost supervisor as ranks that have failed",
     {"though it lost a node"}},
    {PlantedBug::RefusesWhatItDoes,
     "refuses-what-it-does",
     "a controller refuses a submission while its database is away, and accepts it later",
     {"a refused submission runs"}},
};

}  // namespace

const std::vector<PlantedRow>& planted_table() {
  return table;
}

std::string_view name(PlantedBug bug) {
  for (const PlantedRow& row : table)
    if (row.bug == bug) return row.name;
  return "none";
}

std::optional<PlantedBug> planted_from(std::string_view name) {
  for (const PlantedRow& row : table)
    if (row.name == name) return row.bug;
  return std::nullopt;
}

}  // namespace cox::sim
