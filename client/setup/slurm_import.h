// `cox import`: what Slurm's files say, as coxswain.toml, one more file for each kind of node, and
// SQL for accounts. Nothing is dropped in silence: whatever is not taken over as it is becomes a
// note with its place. Pure; client/io/private/import.cpp reads and writes the files.
#pragma once

#include <string>
#include <vector>

#include "client/setup/slurm_lines.h"
#include "common/base/result.h"

namespace cox {

struct Imported {
  std::vector<SourceFile> files;   // coxswain.toml, worker-NODE.toml, accounts.sql
  std::vector<std::string> notes;  // one line each
};

// The files in any order, those that are included behind the one that includes them. Refused: none
// is known, a line that cannot be read.
Result<Imported> import_slurm(const std::vector<SourceFile>& sources);

// All of them as one text, in which but the first is commented out: it is a coxswain.toml as a
// whole. REQUIRES: not empty.
std::string in_one_text(const std::vector<SourceFile>& files);

}  // namespace cox
