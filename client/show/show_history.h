// Shows the events of one job, and of all jobs. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// Sorts events by their sequence number, and so by time. The controller sends the history of an
// array task by task.
void order_by_time(HistoryPage& all);
std::string show_history(const HistoryPage& page, const Screen& screen);
std::string show_events(const EventPage& page, const Screen& screen);  // one line for each event

}  // namespace cox
