// Scripts and environments of jobs. The messages of a turn have only their hashes; the store reads
// the texts together with the commit.
#pragma once

#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

// Returns the hashes of the texts that the messages need, each once.
std::vector<std::string> blobs_wanted(const std::vector<Outgoing>& messages);
void fill_in(Outgoing& outgoing, const std::vector<Blob>& blobs);

}  // namespace cox
