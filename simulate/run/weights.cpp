#include "simulate/run/weights.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "schedule/queue/longest_waits.h"
#include "simulate/trace/lines.h"

namespace cox::simulate {
namespace {

struct WeightWord {
  std::string_view name;
  std::int64_t least = 0;
  void (*set)(PriorityWeights& weights, std::int64_t value) = nullptr;
  std::int64_t most = priority_weight_max;
};

// The weights of multifactor that make a difference in a trace. Times are in seconds.
constexpr auto weight_words = std::to_array<WeightWord>({
    {"age", 0, [](PriorityWeights& w, std::int64_t value) { w.age = value; }},
    {"shortness", 0, [](PriorityWeights& w, std::int64_t value) { w.shortness = value; }},
    {"fair_share", 0, [](PriorityWeights& w, std::int64_t value) { w.fair_share = value; }},
    {"max_age", 1,
     [](PriorityWeights& w, std::int64_t value) { w.max_age = Milliseconds{value * 1'000}; }},
    {"max_age_min", 1,
     [](PriorityWeights& w, std::int64_t value) { w.max_age_min = Milliseconds{value * 1'000}; }},
    {"wait_memory", 1, [](PriorityWeights& w, std::int64_t value) { w.wait_memory = value; },
     schedule::wait_memory_max},
});

struct LifetimeWord {
  std::string_view name;
  double schedule::LifetimeWeights::*weight = nullptr;
  double least = 0;
  double most = 0;
};

constexpr auto lifetime_words = std::to_array<LifetimeWord>({
    {"near_jobs", &schedule::LifetimeWeights::near_jobs, 0.1, 1'000},
    {"all_jobs", &schedule::LifetimeWeights::all_jobs, 0.01, 1'000},
    {"preempt_below", &schedule::LifetimeWeights::preempt_below, 0, 1},
});

bool set_weight(PriorityWeights& weights, std::string_view name, std::string_view text) {
  const auto known = std::ranges::find(weight_words, name, &WeightWord::name);
  const auto value = whole_number(text);
  if (known == weight_words.end() || !value || *value < known->least || *value > known->most)
    return false;
  known->set(weights, *value);
  return true;
}

bool set_weight(schedule::LifetimeWeights& weights, std::string_view name, std::string_view text) {
  const auto known = std::ranges::find(lifetime_words, name, &LifetimeWord::name);
  const auto value = finite_number(text);
  if (known == lifetime_words.end() || !value || *value < known->least || *value > known->most)
    return false;
  weights.*known->weight = *value;
  return true;
}

}  // namespace

Failure set_weights(PriorityWeights& weights, schedule::LifetimeWeights& lifetimes,
                    const std::string& text) {
  if (text.empty()) return std::nullopt;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    if (!set_weight(weights, name, value) && !set_weight(lifetimes, name, value))
      return Refusal{quoted(word) + " is no weight, or its value is out of range",
                     "there are age, shortness, fair_share, wait_memory, in seconds max_age and "
                     "max_age_min, and for gittins near_jobs, all_jobs and preempt_below: "
                     "--weights fair_share=10000"};
  }
  return std::nullopt;
}

}  // namespace cox::simulate
