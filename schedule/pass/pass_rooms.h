// The rooms of a pass. Each decision takes its room at once, so the next job gets what is left.
// After the pass, the engine's free room is restored.
//
//  unclaimed   free now, including what is promised to jobs
//  coming      free once all stopping attempts have ended, without what is promised
//  free        the smaller of both on each node: room on which a job may start. It is the engine's
//              own room, so that the engine's results for it stay valid
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "schedule/pass/decision.h"
#include "schedule/pass/pass_facts.h"

namespace cox::schedule {

class PassRooms {
 public:
  explicit PassRooms(Engine& engine);

  const Room& unclaimed() const { return unclaimed_; }
  const Room& coming() const { return coming_; }
  // Returns the room on which jobs may start.
  const Room& free() const { return engine_.ground().free(); }
  // Returns the room for the decision's job: the free room plus what is promised to the job.
  Room free_for(const Decision& decision) const;
  // Returns whether one of the needs would fit if nothing were promised to other jobs.
  bool fits_unclaimed(const Needs& needs);

  // Takes the room of a job that starts or resumes.
  void take(const GangParts& shares);
  // Takes the room of a job that starts on its promised place, which keep() took from `coming`.
  void take_kept(const GangParts& shares);
  // Promises the place to a job. The free part of it is no longer available to others.
  void keep(const GangParts& shares);
  // Adds the room that becomes free when a running job stops, moves or is suspended.
  void add_coming(const GangParts& shares) { coming_.give_back(shares); }

  // Between stash() and restore() the engine has the free room that it had before the pass. Facts
  // may change meanwhile.
  void stash();
  void restore();
  // Restores the free room that the engine had before the pass.
  void undo();

 private:
  void take_unclaimed(const GangParts& shares);
  void set_free_least(NodeAt at);

  Engine& engine_;
  const Room before_;            // the engine's free room before the pass
  std::vector<NodeAt> changed_;  // nodes where the pass has changed the free room
  Room unclaimed_;
  Room coming_;
  std::unordered_map<const ResolvedRequest*, bool> fits_unclaimed_;  // until `unclaimed` changes
  std::optional<Room> stashed_;  // the free room of the pass, between stash() and restore()
  Followed stashed_followed_;
};

}  // namespace cox::schedule
