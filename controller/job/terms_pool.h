// Parses equal texts once and shares their terms in memory. Specifications that differ in other
// fields, such as the name, mostly request the same things.
#pragma once

#include <string>
#include <unordered_map>

#include "common/job/job.h"

namespace cox {

class TermsPool {
 public:
  // Returns the specification with its parsed terms.
  ParsedSpec parsed(JobSpec spec);
  // Replaces the terms of the specification by the shared ones of the same texts.
  void share(ParsedSpec& spec);

 private:
  // Key: all texts of a specification, joined.
  std::unordered_map<std::string, Shared<JobTerms>> known_;
};

}  // namespace cox
