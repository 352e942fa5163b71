// Checks that usage adds up: the recorded usage of associations and QOS is exactly what the
// attempts of their jobs had from begin to end. The judge keeps the usage of every attempt and sums
// all of it anew; the controller keeps one decaying number for each TRES of an association or QOS.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/sim/books.h"
#include "tests/sim/scene.h"

namespace cox::sim {

class UsageJudge {
 public:
  UsageJudge(Scene& scene, const Books& books) : scene_(scene), books_(books) {}

  void see(const Change& change);  // call it before Books::fold(change)
  // Call it after Books::fold of all changes of the turn. `turn_at` is the turn's time of day, by
  // its controller's clock.
  void check_turn(Wall turn_at);

  void restore_from(const UsageJudge& then);

  // Returns whether the judge knows what is due. After a clock was off by years, it does not: the
  // attempts seem to have run for years, or to have ended before they began.
  bool is_known() const { return is_known_; }
  // Returns the decayed usage at `then`, in seconds of one unit of the TRES, such as CPU-seconds.
  double used_by_account(const Association& account, const std::string& tres, Wall then) const;
  double used_in_qos(const std::string& qos, const std::string& tres, Wall then) const;

 private:
  struct Piece {
    std::map<std::string, double> rates;  // by TRES: how many units the attempt held
    Wall began{};
    Wall ended{};
  };
  using Pieces = std::vector<Piece>;

  void see_one(const AttemptChanged& change);
  void see_one(const AssociationRemoved& change);
  void see_one(const QosRemoved& change) { of_qos_.erase(change.name); }
  void see_one(const RequestAnswered& change);
  template <class Other>
  void see_one(const Other&) {}

  std::map<std::string, double> rates_of(const Attempt& attempt) const;
  double worth(const Pieces& pieces, const std::string& tres, Wall then) const;
  void compare(const std::string& who, const Pieces& pieces, const std::vector<TresUsage>& recorded,
               Wall recorded_at);

  Scene& scene_;
  const Books& books_;
  bool changed_ = false;
  bool is_known_ = true;
  std::map<AssociationId, Pieces> of_association_;
  std::map<std::string, Pieces> of_qos_;
};

}  // namespace cox::sim
