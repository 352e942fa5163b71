// Properties of messages. Used by programs that send to several controllers, and by standby
// controllers. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "common/messages/messages.h"

namespace cox {

// Returns the number by which an answer refers to these messages; 0: no answer will.
std::int64_t number_of(const std::vector<Message>& messages);

// Returns whether a second controller may carry out a message that a first one may have carried out
// already. It may if the message changes nothing, has a request id, or sets a state.
bool is_idempotent(const Message& message);

// Returns whether the request changes nothing. Then a refusal leaves no doubt whether something was
// done.
bool is_read_only(const Request& request);

}  // namespace cox
