// Usage adds up: what associations and tiers are recorded to have used is what the attempts of
// their jobs had, from their begin to their end, and nothing else. The judge keeps every piece of
// it and adds them up anew; the controller keeps one figure, which it adds to and lets decay.
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

  void see(const Change& change);  // before the books have it
  void turn_over();                // the books have all of it

  void goes_back_to(const UsageJudge& then);

  // In seconds of one of it, as they are worth then.
  double used_by_account(const Association& account, const std::string& tres, Wall then) const;
  double used_in_qos(const std::string& qos, const std::string& tres, Wall then) const;

 private:
  struct Piece {
    std::map<std::string, double> rates;  // of each TRES
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
  std::map<AssociationId, Pieces> of_association_;
  std::map<std::string, Pieces> of_qos_;
};

}  // namespace cox::sim
