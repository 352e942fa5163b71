// A question to the controller and its answer: what a Request asks and a Reply says.
#pragma once

#include "common/messages/messages.h"

namespace cox {

using Question = decltype(Request::body);
using Answer = decltype(Reply::body);

}  // namespace cox
