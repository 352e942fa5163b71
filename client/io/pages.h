// Listings come in pages; here they become one answer again.
#pragma once

#include "client/io/ask.h"

namespace cox {

// Asks, and goes on asking while there is more: JobList and HistoryPage. Refused ends it.
Result<Answer> ask_all_pages(Asker& controller, Question question);

// scancel: a JobList becomes the Acted of cancelling all of it; anything else stays what it is.
Result<Answer> cancel_listed(Asker& controller, Answer listed);

}  // namespace cox
