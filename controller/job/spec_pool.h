// Lets jobs with equal specifications share one object in memory, such as a thousand jobs of one
// submission, or the same script every hour. Only the newest specifications are remembered.
#pragma once

#include <unordered_map>

#include "common/job/job.h"
#include "controller/job/terms_pool.h"

namespace cox {

class SpecPool {
 public:
  // Returns the remembered object that equals the specification, or the specification itself.
  Shared<ParsedSpec> shared(Shared<ParsedSpec> spec);
  // The same for a specification that was just submitted. Even if no remembered object equals it,
  // its parsed terms are shared with specifications that have equal texts.
  Shared<ParsedSpec> shared_with_terms(const Shared<ParsedSpec>& spec);

 private:
  Shared<ParsedSpec> pooled(Shared<ParsedSpec> spec);

  std::unordered_map<std::size_t, Shared<ParsedSpec>> latest_;
  Shared<ParsedSpec> given_, answered_;  // argument and result of the last call
  TermsPool terms_;
};

}  // namespace cox
