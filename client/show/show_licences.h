// Shows how many licences of each name are free, and which jobs hold them. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_licences(const LicenceList& list, const Screen& screen);

}  // namespace cox
