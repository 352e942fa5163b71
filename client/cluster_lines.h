// The parsed command lines of cox's commands about private clusters, keys, snapshots and imports,
// and the option tables that parse them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/command.h"
#include "client/setup/cluster_layout.h"

namespace cox {

struct UpOptions : Options {
  std::string dir;  // empty: ~/.local/state/coxswain
  ClusterOverrides wishes;
};

struct DownOptions : Options {
  std::string dir;
  bool purge = false;  // --purge: also remove the folder
};

struct StatusOptions : Options {
  std::string dir;
};

struct DemoOptions : Options {
  bool keep = false;  // --keep: leave the cluster running at the end
};

struct FileOptions : Options {  // of `cox config check` and `cox snapshot`
  std::string file;
};

struct ReplayOptions : FileOptions {
  std::int64_t job = 0;  // --job: id of the job to explain; 0: explain none
};

struct ImportOptions : Options {
  std::vector<std::string> files;
  std::string dir;  // --output: folder for the files; empty: print them to stdout
};

struct KeyOptions : Options {
  std::string name;
  std::string dir;
};

extern const CommandLineOf<UpOptions> up_line;
extern const CommandLineOf<DownOptions> down_line;
extern const CommandLineOf<StatusOptions> status_line;
extern const CommandLineOf<DemoOptions> demo_line;
extern const CommandLineOf<FileOptions> config_check_line, snapshot_line;
extern const CommandLineOf<ReplayOptions> replay_line;
extern const CommandLineOf<ImportOptions> import_line;
extern const CommandLineOf<KeyOptions> key_make_line;

}  // namespace cox
