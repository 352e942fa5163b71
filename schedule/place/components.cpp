#include "schedule/place/components.h"

#include <cstddef>
#include <utility>

#include "common/base/check.h"

namespace cox::schedule {

Request together(std::vector<Request> components) {
  CHECK(components.size() > 1);
  Request all;
  all.nodes = all.tasks = 0;
  all.gres = components.front().gres;
  all.licences = std::exchange(components.front().licences, {});
  all.avoid = components.front().avoid;
  all.reservation = components.front().reservation;
  for (Request& one : components) {
    all.nodes += one.nodes;
    all.tasks += one.tasks;
    if (all.partition_gone.empty()) all.partition_gone = one.partition_gone;
    all.components.emplace_back(std::move(one));
  }
  return all;
}

std::vector<Request> combined(const std::vector<std::vector<Request>>& alternatives,
                              std::size_t most) {
  std::vector<Request> all;
  std::vector<std::size_t> at(alternatives.size(), 0);
  while (all.size() < most) {
    std::vector<Request> choice;
    for (std::size_t i = 0; i < at.size(); ++i) choice.push_back(alternatives[i][at[i]]);
    all.push_back(together(std::move(choice)));
    std::size_t i = at.size();  // counts like an odometer: the last position changes first
    while (i > 0 && ++at[i - 1] == alternatives[i - 1].size()) at[--i] = 0;
    if (i == 0) break;
  }
  return all;
}

}  // namespace cox::schedule
