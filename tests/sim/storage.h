// The checkpoint folder that all nodes share: what each rank has saved of each step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/base/ids.h"
#include "common/job/attempt.h"
#include "tests/sim/scene.h"

namespace cox::sim {

class Storage {
 public:
  enum class Verdict { Whole, Damaged, NeverWhole };

  void write(AttemptKey key, std::int64_t step, std::int32_t rank, const std::string& identity) {
    files_.try_emplace({key, step, rank}).first->second.identity = identity;
  }

  // Returns whether the file exists and was saved by a job with another identity (UUID), such as
  // one that had the same id before a restore.
  bool is_of_another(AttemptKey key, std::int64_t step, std::int32_t rank,
                     const std::string& identity) const {
    const auto it = files_.find({key, step, rank});
    return it != files_.end() && it->second.identity != identity;
  }

  // Seals (completes) the rank's file of this step, or else of its newest step above `above_step`.
  // Returns the step; nothing if there is no such file.
  std::optional<std::int64_t> seal(AttemptKey key, std::int32_t rank,
                                   std::optional<std::int64_t> step, std::int64_t above_step) {
    File* found = nullptr;
    std::optional<std::int64_t> which;
    for (auto& [place, file] : files_) {
      const auto& [k, s, r] = place;
      if (k != key || r != rank || (step ? s != *step : s <= above_step)) continue;
      found = &file;
      which = s;
    }
    if (found != nullptr) found->sealed = true;
    return which;
  }

  // Returns the ranks whose files of the step are sealed.
  std::vector<std::int32_t> sealed_ranks(AttemptKey key, std::int64_t step) const {
    std::vector<std::int32_t> ranks;
    for (const auto& [place, file] : files_)
      if (file.sealed && std::get<0>(place) == key && std::get<1>(place) == step)
        ranks.push_back(std::get<2>(place));
    return ranks;
  }

  Verdict verify(AttemptKey key, std::int64_t step, std::int32_t rank) const {
    const auto it = files_.find({key, step, rank});
    if (it == files_.end() || !it->second.sealed) return Verdict::NeverWhole;
    return it->second.damaged ? Verdict::Damaged : Verdict::Whole;
  }

  // Returns a step that rank 0 of a job of another identity has saved, if there is one.
  std::optional<ResumeFrom> saved_by_another(const std::string& identity) const {
    for (const auto& [place, file] : files_) {
      const auto& [key, step, rank] = place;
      if (rank == 0 && file.identity != identity) return ResumeFrom{key.attempt, step, key.job};
    }
    return std::nullopt;
  }

  void remove(AttemptKey key, std::int64_t step) {
    std::erase_if(files_, [&](const auto& f) {
      return std::get<0>(f.first) == key && std::get<1>(f.first) == step;
    });
  }

  // Damages one random file.
  void damage_one(Random& random) {
    if (files_.empty()) return;
    auto it = files_.begin();
    std::advance(it, random.below(static_cast<std::int64_t>(files_.size())));
    it->second.damaged = true;
  }

 private:
  struct File {
    bool sealed = false;
    bool damaged = false;
    std::string identity{};  // job_identity of the job that saved the file
  };
  std::map<std::tuple<AttemptKey, std::int64_t, std::int32_t>, File> files_;
};

}  // namespace cox::sim
