// `cox why`: shows why a job waits: limits, missing nodes, expected start. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_why(const JobDetail& detail, const Screen& screen);

}  // namespace cox
