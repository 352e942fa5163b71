// The proof that a node runs nothing of an attempt, though the node has not reported the end of it.
// end_lost_part() (controller/attempt/attempt.h) takes one, frees the room and lets the job start
// again. A node's silence is no proof if the attempt may have run there. Each function looks for
// one kind of proof, and returns nothing if there is none. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "controller/state/cluster.h"

namespace cox {

class Emptied {
 public:
  // The node was silent for longer than its ranks run without contact (lost_after()).
  static std::optional<Emptied> by_lease(const Cluster& cluster, const std::string& node, Boot now);
  // It was powered off after its last message. `by`: who did it.
  static std::optional<Emptied> by_fence(const Cluster& cluster, const std::string& node,
                                         const std::string& by);
  // The attempt never got its Go, or its job does not ask for a proof (--no-fence).
  static std::optional<Emptied> by_silence(const Cluster& cluster, JobId id,
                                           const std::string& node);
  // The node says that it has booted since, and the attempt was sent to it before.
  static std::optional<Emptied> by_reboot(const Cluster& cluster, JobId id, const std::string& node,
                                          bool has_rebooted);
  // A worker that obeys this leader, and so ended everything in its spool folder that it does not
  // list, has not listed the attempt. `what` it says of it.
  static std::optional<Emptied> by_list(const Cluster& cluster, const std::string& node,
                                        const std::string& what);

  // Returns the proof in words, for the job's history.
  const std::string& text() const { return text_; }

 private:
  explicit Emptied(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace cox
