#include "client/cluster_lines.h"

#include <limits>

#include "client/command_line.h"
#include "common/base/limits.h"

namespace cox {
namespace {

// Most nodes of a private cluster: each node has a loopback address of its own, from 127.0.0.11 on.
constexpr std::int64_t private_nodes_max = 240;
constexpr std::int64_t lease_s_max = 30ll * 24 * 3600;

// Refuses an empty name: `--dir "$UNSET"` must not mean the default folder.
Failure take_cluster_dir(std::string_view value, std::string& dir) {
  if (value.empty()) return Refusal{"the folder's name is empty", ""};
  dir = value;
  return std::nullopt;
}

constexpr auto wishes = &UpOptions::wishes;

// clang-format off
template <class Asked>
constexpr OptionRow<Asked> of_dir = {
  "dir", 'd', Takes::Value, "TEXT", "the private cluster's folder", "",
  set_by<take_cluster_dir, &Asked::dir>, OptionForm::named};

constexpr OptionRow<UpOptions> up_rows[] = {
  {"nodes", 'n', Takes::Value, "INT:INT in [1 - 240]",
   "number of workers; default: as before, or 1",
   "", number_into<1, private_nodes_max, wishes, &ClusterOverrides::nodes>, OptionForm::named},
  of_dir<UpOptions>,
  {"cpus", 'c', Takes::Value, "INT:INT in [1 - 65536]",
   "CPUs of each node; default: all of the machine", "",
   number_into<1, 65536, wishes, &ClusterOverrides::cpus>, OptionForm::named},
  {"memory", 'm', Takes::Value, "INT:INT in [1 - 1073741824]", "memory of each node, in MB", "",
   number_into<1, limits::memory_mb_per_node_max, wishes, &ClusterOverrides::memory_mb>,
   OptionForm::named},
  {"gpus", 0, Takes::Values, "TEXT", "GPUs of each node, e.g. h100:4 (only counted; none needed)",
   "", into<wishes, &ClusterOverrides::gpus>},
  {"feature", 0, Takes::Values, "TEXT", "a feature and its nodes, e.g. fast=n[1-2]", "",
   into<wishes, &ClusterOverrides::features>},
  {"lease", 0, Takes::Value, "INT:INT in [0 - 2592000]",
   "seconds ranks outlive a silent node; 0: for ever", "",
   number_into<0, lease_s_max, wishes, &ClusterOverrides::lease_s>, OptionForm::named},
  {"config", 0, Takes::Value, "TEXT",
   "a coxswain.toml with further settings; default: as before", "",
   into<&UpOptions::config>},
};

constexpr OptionRow<DownOptions> down_rows[] = {
  of_dir<DownOptions>,
  {"purge", 0, Takes::Nothing, "", "remove its folder too: jobs, logs, checkpoints", "",
   into<&DownOptions::purge>},
};

constexpr OptionRow<StatusOptions> status_rows[] = {of_dir<StatusOptions>};

constexpr OptionRow<DemoOptions> demo_rows[] = {
  {"keep", 0, Takes::Nothing, "", "leave its cluster running", "", into<&DemoOptions::keep>},
};

constexpr OptionRow<FileOptions> config_check_rows[] = {
  {"FILE", 0, Takes::Operand, "TEXT", "the file; by default the one that programs would find", "",
   into<&FileOptions::file>},
};

constexpr OptionRow<ImportOptions> import_rows[] = {
  {"FILE", 0, Takes::Operands, "TEXT", "slurm.conf, gres.conf, topology.conf, what sacctmgr dump "
   "wrote, or what sacctmgr -P show qos prints", "", into<&ImportOptions::files>,
   OptionForm::needed},
  {"output", 'o', Takes::Value, "TEXT", "the folder to write files to; default: print them", "",
   into<&ImportOptions::dir>},
};

constexpr OptionRow<FileOptions> snapshot_rows[] = {
  {"FILE", 0, Takes::Operand, "TEXT", "the file to write", "", into<&FileOptions::file>,
   OptionForm::needed},
};

constexpr OptionRow<ReplayOptions> replay_rows[] = {
  {"FILE", 0, Takes::Operand, "TEXT", "a file that cox snapshot wrote", "",
   into<&FileOptions::file>, OptionForm::needed},
  {"job", 'j', Takes::Value, "INT:INT in [1 - 9223372036854775807]",
   "explain this job, as cox why does", "",
   number_into<1, std::numeric_limits<std::int64_t>::max(), &ReplayOptions::job>,
   OptionForm::named},
};

constexpr OptionRow<KeyOptions> key_make_rows[] = {
  {"NAME", 0, Takes::Operand, "TEXT", "controller, worker-NODE, or one that begins with client", "",
   into<&KeyOptions::name>, OptionForm::needed},
  {"dir", 'd', Takes::Value, "TEXT", "the folder for NAME.key and NAME.pub; by default this one",
   "", into<&KeyOptions::dir>},
};
// clang-format on

}  // namespace

const CommandLineOf<UpOptions> up_line = command_line_from<up_rows>();
const CommandLineOf<DownOptions> down_line = command_line_from<down_rows>();
const CommandLineOf<StatusOptions> status_line = command_line_from<status_rows>();
const CommandLineOf<DemoOptions> demo_line = command_line_from<demo_rows>();
const CommandLineOf<FileOptions> config_check_line = command_line_from<config_check_rows>();
const CommandLineOf<ImportOptions> import_line = command_line_from<import_rows>();
const CommandLineOf<FileOptions> snapshot_line = command_line_from<snapshot_rows>();
const CommandLineOf<ReplayOptions> replay_line = command_line_from<replay_rows>();
const CommandLineOf<KeyOptions> key_make_line = command_line_from<key_make_rows>();

}  // namespace cox
