// A man page as text for man(1), in the macros of man(7).
#pragma once

#include <string>
#include <vector>

#include "client/manual/manual.h"

namespace cox {

// "cox-show-job.1"; section 8 for a daemon.
std::string page_file(const ManualCommand& manual, int section);

std::string page_text(const ManualCommand& manual, int section);

// cox.1: what it is, and the commands with their summaries.
std::string overview_page(const std::vector<ManualCommand>& commands);

}  // namespace cox
