// Shows the pending and running jobs. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// Sorts the rows of each array by the numbers of their tasks.
void sort_tasks(std::vector<JobView>& jobs);
std::string show_queue(const JobList& list, const Screen& screen);

}  // namespace cox
