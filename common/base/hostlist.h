// Slurm's hostlists: "n[1-3,07],x1" stands for n1, n2, n3, n07 and x1. Used wherever people or
// jobs (SLURM_JOB_NODELIST) read or write node names. Pure.
//
// Both directions keep the order of the names: expand_hostlist(compress_hostlist(names)) equals
// names. SLURM_JOB_NODELIST must list the nodes in the order of the ranks. So the code that
// places a gang sorts its nodes with sort_hostnames(), and the compressed form is sorted, as
// Slurm's is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// Formats names as "n[1-2,10],x1". A name has at most one bracket, at its end, because programs
// that extract the first host with simple text rules depend on that. REQUIRES: names that
// is_host_name() accepts.
std::string compress_hostlist(const std::vector<std::string>& names);

// Expands a hostlist. A name may have several brackets, "r[1-2]n[1-4]" or "n[1-2][3-4]", and
// nested brackets: "n[1[2-3],5]" is n12, n13 and n5. Refuses more than limits::hostlist_nodes_max
// names; a refusal has the position of the error.
Result<std::vector<std::string>> expand_hostlist(std::string_view text);

// Returns whether the name has only letters, digits, '-', '_' and '.', begins with a letter or
// digit, and has at most limits::word_bytes_max bytes.
bool is_host_name(std::string_view name);

// Returns whether a comes before b. Digits compare as numbers, so n2 is before n10.
bool host_name_before(std::string_view a, std::string_view b);

void sort_hostnames(std::vector<std::string>& names);

}  // namespace cox
