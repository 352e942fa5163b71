// Whether what a submission says can be stored and read at all: sizes, characters, ranges. Whether
// the cluster can run it is judged by Admission. Pure.
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

Refusal over(std::string_view what, std::size_t is, std::size_t limit, std::string_view unit);
Failure check_word(std::string_view what, const std::string& word, std::size_t limit);
Failure check_range(std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high);

// The refusal of what only the user of the controllers may do.
Refusal only_for_owner();

Failure check_words(const JobSpec& s);
Failure check_step_words(const CreateStep& ask);
Failure check_numbers(const JobSpec& s);
Failure check_payload(const Payload& payload);
Failure check_command(const JobSpec& s, const Payload& payload);

}  // namespace cox
