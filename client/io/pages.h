// Listings come in pages; here they become one answer again.
#pragma once

#include "client/io/ask.h"

namespace cox {

// Asks, and goes on asking while there is more: JobList, HistoryPage and the like. Refused ends it.
Result<Answer> ask_all_pages(Asker& controller, Question question);

}  // namespace cox
