// What the explanations of one pass have in common: the pass, which jobs hold room on which nodes,
// and the jobs before the explained one. For explain.cpp and its parts: constraints, node_classes,
// holders, smallest_changes, explain_victims.
#pragma once

#include <optional>
#include <vector>

#include "schedule/model/explain_depth.h"
#include "schedule/pass/pass.h"

namespace cox::schedule {

struct Holder {
  JobId job;
  NodePart share;
  const Counts* each = nullptr;  // GRES that the job holds on each of its nodes
};

struct LicenceHolder {
  JobId job;
  const Counts* licences = nullptr;
};

struct LaterVictim {
  JobId job;
  std::optional<Milliseconds> lasts;
  LaterPreemption how;
};

struct ExplainContext {
  Pass& pass;
  const PassFacts& facts;  // the facts of `pass`
  Wall now;
  TitleOf title_of;
  LimitOf limit_of;
  // For each node, the jobs that run or start there now.
  std::vector<std::vector<Holder>> holders;
  std::vector<LicenceHolder> licence_holders;
  std::vector<const Decision*> promised;  // decisions that promise a place in this pass
  std::vector<JobId> before;              // jobs before the explained one that may delay it
  bool has_all_before = true;             // false: `before` lacks some of these jobs
  std::vector<std::size_t> classes;       // by node: nodes of one class differ only in their names
  // Jobs before the explained one that will be able to preempt others sooner than time limits make
  // room for them; only the first few.
  std::vector<LaterVictim> earlier_victims;
  bool seeks_start = false;  // true: estimate the start, since the job is explained in full
  // When the explained job will be able to preempt others. If `preemption_for` is set: when that
  // job will be, which also leaves room for the explained one.
  std::optional<Boot> preemption_at;
  std::optional<JobId> preemption_for;
};

// Returns when a waiting job will be able to preempt others, if that is sooner than its expected
// start. Computed only for jobs with a reservation and for jobs explained in full.
std::optional<LaterPreemption> later_preemption(const ExplainContext& context,
                                                const Decision& decision);
// Sets `preemption_at` and `preemption_for` if a job before this one will preempt others and this
// job then also fits, at once or when that other job ends.
void estimate_by_jobs_before(ExplainContext& context, const Decision& decision);

std::vector<std::size_t> classes_of(const Nodes& nodes);

inline constexpr std::size_t holders_shown_max = 4;  // in a line
inline constexpr std::size_t shown_lines_max = 8;    // of one kind
inline constexpr std::size_t needs_shown_max = 4;    // of one job

const std::vector<Holder>& holders_on(const ExplainContext& context, NodeAt at);

// Returns whether the request names as many nodes as it needs, so that it can use no others.
bool names_all(const ResolvedRequest& need);
// Returns the nodes that an explanation counts: the usable ones; if the job names all of its nodes,
// the usable ones of these.
const std::vector<NodeAt>& nodes_in_question(const ResolvedRequest& need);

// Returns the alternative requests to show, resolved to nodes, in the order of preference. If the
// job need not use a reservation, requests in one that it cannot use now are left out.
std::vector<const ResolvedRequest*> needs_shown(const ExplainContext& context,
                                                const Decision& decision);
// Returns the number of alternative requests that needs_shown() leaves out for being too many.
std::int64_t needs_left_out(const ExplainContext& context, const Decision& decision);

// Returns whether the decision was made for the same request as this need, though perhaps for
// another time of start.
bool is_of(const ResolvedRequest& need, const Decision& decision);

// Returns the room that is free for this job now, without what is reserved for others.
Room open_room(const ExplainContext& context, const Decision& decision);
// Returns whether the settings allow no backfill and other jobs wait before the explained one, so
// that it may not start.
bool allows_no_backfill(const ExplainContext& context);

// Return whether the node has room for an even part of the gang, and how many nodes have. If the
// gang must be spread unevenly, a node that is too small for such a part needs to be idle.
bool has_room(const ResolvedRequest& need, const Room& room, NodeAt at);
std::int64_t nodes_with_room(const ResolvedRequest& need, const Room& room);

// Returns "2026-11-21T10:30:00Z". Explanations are stored, so a time span would become wrong.
std::string moment_text(const ExplainContext& context, Boot moment);

// Returns ", until 2026-11-21T10:30:00Z at the latest" by the job's time limit, or ", without a
// time limit"; for a suspended job, how much of its time limit is left.
std::string until_text(const ExplainContext& context, const Running& running);

// Returns a line for each constraint of the request, in the order in which they are applied: how
// many of the remaining nodes it rules out.
std::vector<std::string> constraint_lines(const ExplainContext& context,
                                          const ResolvedRequest& need, const Room& open);

// Returns a line for each class of nodes that fit when idle and available: how many have room, how
// many are busy and until when, and how many cannot be used.
std::vector<std::string> class_lines(const ExplainContext& context, const ResolvedRequest& need);

// Returns "job 17 of alice is preempted, losing 77 GPU-seconds ...". REQUIRES: the decision
// preempts.
std::string preempts_text(const ExplainContext& context, const Decision& decision);

// Returns "licence matlab: 1 of 4 is free, job 17 of alice has 3" for the first licence that is
// short.
std::string licence_text(const ExplainContext& context, const ResolvedRequest& need);

// Return Slurm's pending reason for the first limit that stops the job; limited_text() also returns
// a text with the jobs that use the limit up.
WaitReason limited_reason(const Pass& pass, const LimitOf& limit_of, const Decision& decision);
std::pair<WaitReason, std::string> limited_text(const ExplainContext& context,
                                                const Decision& decision);
// Returns a line for each limit that stops the job.
std::vector<std::string> limit_lines(const ExplainContext& context, const Decision& decision);

// Returns whether a limit stops this alternative request now.
bool is_limited(const ExplainContext& context, const Decision& decision,
                const ResolvedRequest& need);
// Returns a line for each alternative request that a limit stops, except the decided one.
std::vector<std::string> limited_alternatives(const ExplainContext& context,
                                              const Decision& decision);

// Returns a line for each of the job's accounts that has a quota of a resource the job asks for:
// how much the account holds and how much it is entitled to.
std::vector<std::string> quota_lines(const ExplainContext& context, const Decision& decision);

// Explains a job whose advance reservation is not open for it, or is gone.
std::pair<WaitReason, std::string> not_open_text(const ExplainContext& context,
                                                 const Decision& decision);
// Returns a line for each advance reservation that closes nodes which otherwise fit.
std::vector<std::string> reserved_lines(const ExplainContext& context, const Decision& decision);
// Returns one clause about these reservations: the first, and the number of others. Empty: none.
std::string reserved_in_short(const ExplainContext& context, const Decision& decision);
// Returns by node whether it is outside the reservation of the request: all nodes while the
// reservation is not open, none if the request names no reservation.
std::vector<bool> outside_its_reservation(const ExplainContext& context,
                                          const ResolvedRequest& need);
// Returns by node whether it is closed to the request since it has not responded for a short time.
std::vector<bool> briefly_silent(const ExplainContext& context, const ResolvedRequest& need);
// Returns whether the job could start, now or ever, if there were no other advance reservations.
bool is_reserved_for_others(const ExplainContext& context, const Decision& decision);
// Returns a line with the longest time limit with which the job would start now and end before an
// advance reservation begins; or no line.
std::vector<std::string> limits_before_reservations(const ExplainContext& context,
                                                    const Decision& decision);

// For a job that wants few leaf switches for some time (--switches=COUNT@TIME): returns whether it
// waits only for that. Then no nodes satisfy the condition, idle or not, but without it the job
// fits.
bool waits_for_switches_alone(const ExplainContext& context, const Decision& decision);
// Returns "it waits for nodes on at most 1 leaf switch until 2026-11-21T10:30:00Z, then on any
// number". Empty if the job does not wait for switches.
std::string switches_text(const ExplainContext& context, const Decision& decision);
// Returns when the job would start on any number of switches in the room that is free now.
std::optional<Boot> start_on_any_switches(const ExplainContext& context, const Decision& decision);

// Returns a line for each job that holds resources which the waiting job lacks: how much, where,
// until when, and why that job is not preempted.
std::vector<std::string> holder_lines(const ExplainContext& context, const Decision& decision);

// Returns a line for each change of the request that alone would let the job start now, each the
// smallest of its kind. The changes are tried with the real placement.
std::vector<std::string> change_lines(const ExplainContext& context, const Decision& decision);

}  // namespace cox::schedule
