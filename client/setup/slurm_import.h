// `cox import`: converts Slurm's files to coxswain.toml, one more TOML file for each kind of node,
// and SQL for accounts. Each setting that is not taken over unchanged becomes a note with its file
// and line, so that nothing is dropped silently. Pure; client/io/private/import.cpp reads and
// writes the files.
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

// Converts the files. They may be in any order, but an included file follows the one that includes
// it. Refused if a file is not one of Slurm's or a line cannot be parsed.
Result<Imported> import_slurm(const std::vector<SourceFile>& sources);

// Joins the files to one text that is a valid coxswain.toml: all but the first file are commented
// out. REQUIRES: not empty.
std::string in_one_text(const std::vector<SourceFile>& files);

}  // namespace cox
