// Checks that the values of a request can be stored and displayed: sizes, characters, ranges.
// Admission (admit.h) checks whether the cluster can run the job. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/job/job.h"
#include "common/messages/messages.h"
#include "controller/change/payload.h"

namespace cox {

// Returns a refusal: "WHAT has IS UNIT; the limit is LIMIT".
Refusal over(std::string_view what, std::size_t is, std::size_t limit, std::string_view unit);
Failure check_word(std::string_view what, const std::string& word, std::size_t limit);
Failure check_range(std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high);

// Returns the refusal of an action that only the cluster's own user may do.
Refusal only_for_owner();

Failure check_words(const JobSpec& s);
Failure check_step_words(const CreateStep& ask);
Failure check_numbers(const JobSpec& s);
Failure check_payload(const Payload& payload);
Failure check_command(const JobSpec& s, const Payload& payload);

}  // namespace cox
