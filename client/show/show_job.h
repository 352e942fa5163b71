// Shows everything about one job or one array. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_job(const JobDetail& detail, const Screen& screen);

}  // namespace cox
