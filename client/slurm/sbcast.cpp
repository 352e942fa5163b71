#include "client/slurm/sbcast.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/text.h"

namespace cox {
namespace {

// $1: the destination, $2: its mode, $3: its time or "", $4: bytes, $5: "force" or "". Every task
// writes beside the destination, so that nobody sees half a file.
constexpr const char* receiver = R"sh(
dest=$1
[ -d "$dest" ] && {
  echo "sbcast: error: $dest is a directory on $SLURMD_NODENAME" >&2
  exit 1
}
[ -z "$5" ] && [ -e "$dest" ] && {
  echo "sbcast: error: $dest: File exists on $SLURMD_NODENAME" >&2
  exit 1
}
part=$dest.sbcast.$SLURM_JOB_ID.$SLURM_STEP_ID.$$
trap 'rm -f "$part"' EXIT
umask 077
cat > "$part" || exit 1
[ "$(stat -c %s "$part")" = "$4" ] || {
  echo "sbcast: error: $dest is incomplete on $SLURMD_NODENAME" >&2
  exit 1
}
chmod "$2" "$part" || exit 1
[ -z "$3" ] || touch -d "@$3" "$part" || exit 1
mv -f "$part" "$dest"
)sh";

// What Slurm's sbcast knows besides; a step has no use for it.
struct Unused {
  std::string value;
  bool flag = false;
};

void declare(CLI::App& app, BroadcastOptions& asked, Unused& unused) {
  app.add_flag("-f,--force", asked.force, "replace a file that is there");
  app.add_flag("-p,--preserve", asked.preserve, "keep its time and all of its mode");
  app.add_option("-j,--jobid", asked.job, "the job; else that of SLURM_JOB_ID");
  app.add_option("-C,--compress", unused.value, "accepted: nothing is compressed")->expected(0, 1);
  app.add_option("-F,--fanout", unused.value, "accepted: every node is sent to");
  app.add_option("-s,--size", unused.value, "accepted");
  app.add_option("-t,--timeout", unused.value, "accepted");
  app.add_flag("-v,--verbose", unused.flag, "accepted");
  app.add_option("SOURCE", asked.source, "the file here");
  app.add_option("DEST", asked.destination, "its path on the nodes");
}

}  // namespace

Result<BroadcastOptions> parse_broadcast(const std::vector<std::string>& words) {
  BroadcastOptions asked;
  if (!words.empty() && (words[0] == "-h" || words[0] == "--help" || words[0] == "--usage")) {
    asked.help = true;
    return asked;
  }
  CLI::App app;
  Unused unused;
  declare(app, asked, unused);
  app.set_help_flag();
  app.add_flag("-V,--version", asked.version);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& wrong) {
    return Refusal{wrong.what(), "sbcast --help shows all options"};
  }
  if (asked.version) return asked;
  if (asked.source.empty() || asked.destination.empty())
    return Refusal{"Need two file names, have " + std::to_string(asked.source.empty() ? 0 : 1),
                   "write: sbcast [OPTION]... SOURCE DEST"};
  asked.job = asked.job.substr(0, asked.job.find('.'));
  return asked;
}

std::vector<std::string> broadcast_words(const BroadcastOptions& asked, const SourceFile& file,
                                         std::int64_t nodes) {
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", file.mode & (asked.preserve ? 07777U : 0777U));
  std::vector<std::string> words = {"--overlap",
                                    "--mpi=none",
                                    "--kill-on-bad-exit=1",
                                    "--ntasks-per-node=1",
                                    "--het-group=all",
                                    "--input=" + asked.source,
                                    "--nodes=" + std::to_string(nodes),
                                    "--ntasks=" + std::to_string(nodes),
                                    "--job-name=sbcast"};
  if (!asked.job.empty()) words.push_back("--jobid=" + asked.job);
  // A destination that is a name alone is one below the folder that sbcast is called in, as Slurm
  // has it.
  words.insert(words.end(), {"sh", "-c", receiver, "sbcast", asked.destination, mode,
                             asked.preserve ? std::to_string(file.changed_s) : "",
                             std::to_string(file.bytes), asked.force ? "force" : ""});
  return words;
}

std::string broadcast_help() {
  BroadcastOptions asked;
  Unused unused;
  CLI::App app("Copies a file to the same place on every node of a job.", "sbcast");
  declare(app, asked, unused);
  return app.help();
}

}  // namespace cox
