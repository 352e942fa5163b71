// Writes man pages, in the macros of man(7).
#pragma once

#include <string>
#include <vector>

#include "client/manual/manual.h"

namespace cox {

// Returns the file name of the page: "cox-show-job.1". Daemons are in section 8.
std::string page_file(const ManualCommand& manual, int section);

std::string page_text(const ManualCommand& manual, int section);

// Returns the page cox.1: what cox is, and its commands with their summaries.
std::string overview_page(const std::vector<ManualCommand>& commands);

}  // namespace cox
