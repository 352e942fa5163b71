// Question: the body of a request to the controller, a variant of the types of requests. Answer:
// the body of its reply, a variant of the types of replies.
#pragma once

#include "common/messages/messages.h"

namespace cox {

using Question = decltype(Request::body);
using Answer = decltype(Reply::body);

}  // namespace cox
