// What whoever speaks to several controllers, and those that stand by, have to know of a message.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "common/messages/messages.h"

namespace cox {

// What an answer to it bears; 0: its answers bear none.
std::int64_t number_of(const std::vector<Message>& said);

// Whether a second controller may do what a first one may have done already: it only asks, bears a
// request id, or names a state to be in.
bool may_be_done_twice(const Message& message);

// Returns true if the request changes nothing, so that a refusal of it need not be final.
bool only_asks(const Request& request);

}  // namespace cox
