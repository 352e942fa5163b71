// sinfo: turns its command line into requests, and lists the replies. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/listing.h"

namespace cox {

ReadListing read_sinfo(const std::vector<std::string>& words, const Surroundings& around);

}  // namespace cox
