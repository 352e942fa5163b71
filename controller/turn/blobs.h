// Scripts and environments that messages carry by hash alone until the store has read them.
#pragma once

#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

std::vector<std::string> blobs_wanted(const std::vector<Outgoing>& messages);
void fill_in(Outgoing& outgoing, const std::vector<Blob>& blobs);

}  // namespace cox
