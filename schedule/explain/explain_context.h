// What the explanations of one pass have in common: the pass, who holds room where, who stands
// before. For explain.cpp and the parts it is made of: constraints, node_classes, holders,
// smallest_changes, explain_victims.
#pragma once

#include <optional>
#include <vector>

#include "schedule/model/explain_depth.h"
#include "schedule/pass/pass.h"

namespace cox::schedule {

struct Holder {
  JobId job;
  NodePart share;
  const Counts* each = nullptr;  // GRES it has on each of its nodes
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
  Wall now;
  TitleOf title_of;
  LimitOf limit_of;
  // Running, and starting now; by node.
  std::vector<std::vector<Holder>> holders;
  std::vector<LicenceHolder> licence_holders;
  std::vector<const Decision*> promised;  // a place, by this pass
  std::vector<JobId> before;              // waiting jobs judged so far
  bool knows_all_before = true;           // else there are more of them
  std::vector<std::size_t> classes;       // by node: nodes of one class differ in their names
  // Jobs before it for whom others will give way, sooner than time limits say.
  std::vector<LaterVictim> give_way_before;
  bool seeks_start = false;  // of the one that is told of, in full
  // When others will give way, for it or for the one named, and it has room for that.
  std::optional<Boot> give_way_at;
  std::optional<JobId> give_way_for;
};

// Of one that waits: when others will give way for it, where that comes before those that hold its
// room are over. It is sought for those that have a place kept, and that are told in full.
std::optional<LaterPreemption> others_give_way(const ExplainContext& told,
                                               const Decision& decision);
// Likewise for one before it, which leaves room for it then, or when it is over itself. Into
// `told`.
void settle_by_those_before(ExplainContext& told, const Decision& decision);

std::vector<std::size_t> classes_of(const Nodes& nodes);

inline constexpr std::size_t holders_shown_max = 4;  // in a line
inline constexpr std::size_t told_lines_max = 8;     // of one kind
inline constexpr std::size_t needs_told_max = 4;     // of one job

const std::vector<Holder>& holders_on(const ExplainContext& told, NodeAt at);

// It can have no other nodes than those it names.
bool names_all(const ResolvedRequest& need);
// The nodes that the need is about: of those named, where it can have no others, the usable ones.
const std::vector<NodeAt>& nodes_in_question(const ResolvedRequest& need);

// Of the requests that would serve the job, as many as are told of, in the order of its wishes. Not
// those in a reservation that merely draws it in and is of no use to it now.
std::vector<const ResolvedRequest*> needs_told(const ExplainContext& told,
                                               const Decision& decision);
// How many there are besides.
std::int64_t needs_untold(const ExplainContext& told, const Decision& decision);

// Whether it is the one that was decided on, at whatever time.
bool is_of(const ResolvedRequest& need, const Decision& decision);

// Free for this job now, beside what is kept for others; its own place is not kept from it.
Room open_room(const ExplainContext& told, const Decision& decision);
// Whoever waits before it, it may take no room at all.
bool nobody_passes(const ExplainContext& told);

// For an even part of the gang.
bool has_room(const ResolvedRequest& need, const Room& room, NodeAt at);
std::int64_t nodes_with_room(const ResolvedRequest& need, const Room& room);

// "2026-11-21T10:30:00Z": texts are kept, and a span of time would not stay true.
std::string moment_text(const ExplainContext& told, Boot moment);

// ", until 2026-11-21T10:30:00Z at the latest", by its time limit; ", without a time limit".
std::string until_text(const ExplainContext& told, const Running& running);

// One line a constraint that was asked for, in the order in which they are looked at: how many of
// the nodes that are left it rules out.
std::vector<std::string> constraint_lines(const ExplainContext& told, const ResolvedRequest& need,
                                          const Room& open);

// One line a class of nodes that would do, were they idle and available: how many have room, how
// many are busy and until when, how many cannot be used.
std::vector<std::string> class_lines(const ExplainContext& told, const ResolvedRequest& need);

// "job 17 of alice gives way, losing 77 GPU-seconds ..." REQUIRES: the job preempts.
std::string preempts_text(const ExplainContext& told, const Decision& decision);

// "licence matlab: 1 of 4 is free, job 17 of alice has 3": of the first that there is too little
// of.
std::string licence_text(const ExplainContext& told, const ResolvedRequest& need);

// Of the first limit that has no more for the job: its code, and who holds how much of it.
WaitReason limited_reason(const Pass& pass, const LimitOf& limit_of, const Decision& decision);
std::pair<WaitReason, std::string> limited_text(const ExplainContext& told,
                                                const Decision& decision);
// One line each limit that has no more for it.
std::vector<std::string> limit_lines(const ExplainContext& told, const Decision& decision);

// One of the requests that would serve it, which a limit does not allow now.
bool is_limited(const ExplainContext& told, const Decision& decision, const ResolvedRequest& need);
// One line each of those, but for the one that was decided on.
std::vector<std::string> limited_alternatives(const ExplainContext& told, const Decision& decision);

// One line each account, of what it asks for and there are quotas of: what it has and is to have.
std::vector<std::string> quota_lines(const ExplainContext& told, const Decision& decision);

// Of a job whose advance reservation is not open for it, or is gone.
std::pair<WaitReason, std::string> not_open_text(const ExplainContext& told,
                                                 const Decision& decision);
// One line each advance reservation that keeps nodes from it which would do otherwise.
std::vector<std::string> reserved_lines(const ExplainContext& told, const Decision& decision);
// The same in one clause: of the first of them, and how many there are besides. Empty: none.
std::string reserved_in_short(const ExplainContext& told, const Decision& decision);
// By node, those that the reservation it is in does not have; all while that is not open for it,
// none when it is in none.
std::vector<bool> outside_its_reservation(const ExplainContext& told, const ResolvedRequest& need);
// Were it not for those it could start now, or ever: on the nodes they keep there is room for it.
bool is_reserved_for_others(const ExplainContext& told, const Decision& decision);
// The longest time limit that would let it start now and be over before one begins; or nothing.
std::vector<std::string> limits_before_reservations(const ExplainContext& told,
                                                    const Decision& decision);

// Of a job that wants few leaf switches for some time (--switches=COUNT@TIME).
// Whether it waits for nothing else: no nodes can give so few, whatever runs there.
bool waits_for_switches_alone(const ExplainContext& told, const Decision& decision);
// "it waits for nodes on at most 1 leaf switch until 2026-11-21T10:30:00Z, then more will do".
// Empty: it does not.
std::string switches_text(const ExplainContext& told, const Decision& decision);
// When it would start because more switches will do, with the room that is free now.
std::optional<Boot> start_on_any_switches(const ExplainContext& told, const Decision& decision);

// One line a job that holds what is missing: how much, where, until when, and why it stays.
std::vector<std::string> holder_lines(const ExplainContext& told, const Decision& decision);

// One line a change of the request, each the smallest of its kind, that alone would let it start
// now: tried with the real placement.
std::vector<std::string> change_lines(const ExplainContext& told, const Decision& decision);

}  // namespace cox::schedule
