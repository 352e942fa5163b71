#include "schedule/place/alternatives.h"

#include <algorithm>

#include "common/base/check.h"
#include "schedule/model/request_chain.h"
#include "schedule/place/components.h"

namespace cox::schedule {
namespace {

double price_of(std::span<const GpuPrice> prices, const std::string& type) {
  if (prices.empty()) return 1;
  const auto priced = std::ranges::find(prices, type, &GpuPrice::type);
  if (priced != prices.end()) return static_cast<double>(priced->milli);
  return static_cast<double>(std::ranges::max(prices, {}, &GpuPrice::milli).milli);
}

// Returns the cost of a type under the preference; less is better.
double dearness(const GpuTypeWish& wish, double price, Preference choice) {
  const auto speed = static_cast<double>(wish.ratio_milli);
  switch (choice) {
    case Preference::Speed: return -speed;
    case Preference::Cost: return price / speed;
    case Preference::Balanced: return price / (speed * speed);
  }
  return 0;
}

}  // namespace

std::vector<std::vector<std::string>> gpu_groups(std::span<const GpuTypeWish> types,
                                                 std::span<const GpuPrice> prices,
                                                 Preference choice, EqualTypes equal) {
  // a group of types, with the cost of its most expensive type
  using Group = std::pair<double, std::vector<std::string>>;
  std::vector<Group> sorted;
  for (const GpuTypeWish& wish : types) {
    const double dear = dearness(wish, price_of(prices, wish.type), choice);
    if (!wish.with_previous || sorted.empty()) sorted.push_back({dear, {}});
    sorted.back().first = std::max(sorted.back().first, dear);
    sorted.back().second.push_back(wish.type);
  }
  std::ranges::stable_sort(sorted, {}, &Group::first);
  std::vector<std::vector<std::string>> groups;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool is_next = i == 0 || sorted[i].first != sorted[i - 1].first;
    if (is_next || equal == EqualTypes::Apart) groups.emplace_back();
    groups.back().insert(groups.back().end(), sorted[i].second.begin(), sorted[i].second.end());
  }
  return groups;
}

std::vector<Request> alternatives(const Request& like,
                                  const std::vector<std::vector<std::string>>& gpu_groups,
                                  const Constraint& constraint) {
  std::vector<Request> all;
  const auto add = [&](const std::vector<std::string>& types) {
    Request request = like;
    request.gpu_types = types;
    if (constraint.alternatives.empty()) all.push_back(request);
    for (const GangFeatures& features : constraint.alternatives) {
      request.constraint = format_constraint(Constraint{{features}});
      all.push_back(request);
    }
  };
  for (const std::vector<std::string>& types : gpu_groups) add(types);
  if (gpu_groups.empty()) add({});
  return all;
}

std::vector<Request> unchained(const Request& chain) {
  std::vector<Request> all;
  for (const Request& one : RequestChain(chain)) {
    all.push_back(one);
    all.back().otherwise.reset();
  }
  return all;
}

namespace {

std::vector<Request> components_by_gpu_type(const Request& request,
                                            std::span<const std::string> types, DivideByType which,
                                            std::size_t most) {
  std::vector<std::vector<Request>> alternatives;
  for (const Shared<Request>& one : request.components)
    alternatives.push_back(unchained(*by_gpu_type(*one, types, which)));
  for (Request& first : alternatives.front()) first.licences = request.licences;
  return combined(alternatives, most);
}

// Returns whether the GPUs of the request could be of several types and should be of one.
bool is_to_divide(const Request& request, DivideByType which) {
  if (request.gpus_per_node == 0 || request.gpu_types.size() == 1) return false;
  if (which == DivideByType::All) return true;
  // the job named several types, and accepts a mix of them
  if (!request.gpu_types.empty()) return false;
  if (request.nodes > 1 || request.nodes_most > 1 || !request.sizes.empty()) return true;
  return which == DivideByType::UntypedMixed && request.gpus_per_node > 1;
}

}  // namespace

Shared<Request> by_gpu_type(const Request& chain, std::span<const std::string> types,
                            DivideByType which) {
  const std::vector<Request> plain = unchained(chain);
  std::vector<Request> all;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Request& one = plain[i];
    const std::vector<std::string> any(types.begin(), types.end());
    const std::vector<std::string> wanted = one.gpu_types.empty() ? any : one.gpu_types;
    const std::size_t behind = plain.size() - i - 1;
    if (!one.components.empty()) {
      const std::size_t room = alternatives_max - std::min(alternatives_max, all.size() + behind);
      for (Request& each :
           components_by_gpu_type(one, types, which, std::max<std::size_t>(room, 1)))
        all.push_back(std::move(each));
      continue;
    }
    if (!is_to_divide(one, which) || wanted.empty() ||
        all.size() + wanted.size() + behind > alternatives_max) {
      all.push_back(one);
      continue;
    }
    for (const std::string& type : wanted) {
      all.push_back(one);
      all.back().gpu_types = {type};
    }
  }
  return chained(std::move(all));
}

Shared<Request> chained(std::vector<Request> alternatives) {
  CHECK(!alternatives.empty());
  Shared<Request> chain = alternatives.back();
  for (std::size_t i = alternatives.size() - 1; i-- > 0;) {
    alternatives[i].otherwise = chain;
    chain = std::move(alternatives[i]);
  }
  return chain;
}

}  // namespace cox::schedule
