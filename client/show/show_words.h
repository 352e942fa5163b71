// Texts that several commands print. Pure. Text from users and from the controller passes
// printable(), which replaces control characters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/text/screen.h"
#include "client/text/table.h"
#include "common/messages/messages.h"

namespace cox {

// Returns "cox: FACT" and, on the next line, the hint. A hint of several lines has the end of a log
// file.
std::string refusal_text(const Refusal& why);

std::string notes_text(const JobDetail& detail);  // what nodes report about the newest attempt
Colour state_colour(JobState state);
// Returns how jobs are named to users, like "17_4": `names`, or the job ids if a controller of an
// older version has sent no names.
std::vector<std::string> names_of_jobs(const std::vector<JobId>& jobs,
                                       const std::vector<std::string>& names);
std::string node_list_text(const std::vector<std::string>& names);        // "n[1-2]"
std::string exit_text(std::int32_t exit_code, std::int32_t exit_signal);  // "exit code 3"
std::string numbered_lines(const std::vector<std::string>& lines, const Screen& screen);  // "1. "
std::string bytes_text(std::int64_t bytes);  // "1.5 GiB"
std::string memory_text(std::int64_t megabytes);

// Returns Slurm's name of the node's state: "idle", "mix", "alloc", "resv", "maint", "drain",
// "drng", "down" or "down*".
std::string node_state_text(const NodeView& view);

}  // namespace cox
