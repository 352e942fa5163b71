// Writes the JSON input of submit_program (a submission) and parses its JSON output (a verdict).
//
//   reads   {"cluster": "c", "user": {"name": "ada", "uid": 1000, "gid": 1000}, "dry_run": false,
//            "script": "#!/bin/sh\n", "jobs": [{"name": "train", "nodes": 4, "components": []}]}
//   writes  {}                                                      accepted as it is
//           {"jobs": [{"qos": "long"}], "note": "shown to the user"}  one object of changes a job
//           {"refuse": "shown to the user"}
//
// The names are those of submit_fields.h. Fields that were not asked for are left out. Pure.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/job/job.h"
#include "common/job/submit_fields.h"
#include "controller/change/event.h"

namespace cox {

std::string submission_text(const std::string& cluster_name, const Caller& caller,
                            std::span<const JobSpec> specs, const std::string& script,
                            bool is_dry_run);

struct SubmitVerdict {
  std::string refuse;  // text for the user; empty: accepted
  std::string note;    // text for the user
  // For each job, its changed fields with their new values. Empty: no changes.
  std::vector<std::vector<std::pair<const SubmitField*, SubmitValue>>> changes;
};

// Parses the program's output. Refused if it is not valid. `jobs`: the number of jobs in the
// request.
Result<SubmitVerdict> submit_verdict_from(const std::string& text, std::size_t jobs);

}  // namespace cox
