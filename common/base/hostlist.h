// Slurm's hostlists: "n[1-3,07],x1" stands for n1, n2, n3, n07 and x1. Used wherever node names are
// read from people or shown to them and to jobs (SLURM_JOB_NODELIST). Pure.
//
// The order of the names is kept both ways: expand_hostlist(compress_hostlist(names)) is names
// again. SLURM_JOB_NODELIST must tell the nodes in the order of the ranks, so whoever places a gang
// orders its nodes with sort_hostnames and the compressed form comes out sorted, as Slurm's is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// "n[1-2,10],x1". Brackets stand at the end of a name only, never nested: programs that read the
// first host with simple text rules depend on it.
// REQUIRES: names that is_host_name() accepts.
std::string compress_hostlist(const std::vector<std::string>& names);

// A name may have several brackets, "r[1-2]n[1-4]" or "n[1-2][3-4]", and brackets in brackets:
// "n[1[2-3],5]" is n12, n13 and n5. At most limits::hostlist_nodes_max names. A refusal has the
// position of the error.
Result<std::vector<std::string>> expand_hostlist(std::string_view text);

// Letters, digits, '-', '_' and '.', beginning with a letter or digit, at most
// limits::word_bytes_max long.
bool is_host_name(std::string_view name);

// n2 before n10: digits compare as numbers.
bool host_name_before(std::string_view a, std::string_view b);

void sort_hostnames(std::vector<std::string>& names);

}  // namespace cox
