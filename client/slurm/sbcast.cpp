#include "client/slurm/sbcast.h"

#include <array>
#include <cstdio>

#include "common/base/text.h"

namespace cox {
namespace {

// The shell script that each task of sbcast runs; the file is its standard input. $0: the program
// named in messages, $1: path of the destination, $2: its mode, $3: its time of change in seconds
// since 1970, or "" for now, $4: its size in bytes, $5: "force" or "". The script writes to a
// temporary file beside the destination and renames it, so that no process sees half a file. It
// does not replace a device or a FIFO, which other programs use. On failure it prints one error in
// Slurm's words.
constexpr const char* receiver = R"sh(
dest=$1
refuse() {
  echo "$0: error: REQUEST_FILE_BCAST($SLURMD_NODENAME): $1" >&2
  exit "$2"
}
[ -d "$dest" ] && refuse "Is a directory" 21
[ -d "$(dirname "$dest")" ] || refuse "No such file or directory" 2
if [ -e "$dest" ] || [ -L "$dest" ]; then
  [ -n "$5" ] || refuse "File exists" 17
  [ -f "$dest" ] || refuse "$dest is not a regular file" 22
fi
part=$dest.sbcast.$SLURM_JOB_ID.$SLURM_STEP_ID.$SLURMD_NODENAME.$$
trap 'rm -f "$part"' EXIT
umask 077
cat > "$part" || exit 1
[ "$(stat -c %s "$part")" = "$4" ] || refuse "$dest is incomplete" 1
chmod "$2" "$part" || exit 1
[ -z "$3" ] || touch -d "@$3" "$part" || exit 1
mv -f "$part" "$dest"
)sh";

Failure take_broadcast_job(BroadcastOptions& asked, std::string_view value) {
  asked.job = value.substr(0, value.find('.'));
  return std::nullopt;
}

// Options with the help "accepted" have no effect.
// clang-format off
constexpr OptionRow<BroadcastOptions> sbcast_table[] = {
  {"compress", 'C', Takes::ValueAttached, "LIBRARY", "accepted: nothing is compressed", "",
   ignore_option},
  {"fanout", 'F', Takes::Value, "NUMBER", "accepted: each node gets the file directly", "",
   ignore_option},
  {"force", 'f', Takes::Nothing, "", "replace an existing file", "",
   into<&BroadcastOptions::force>},
  {"help", 'h', Takes::Nothing, "", "this text"},
  {"jobid", 'j', Takes::Value, "JOB", "the job; default: SLURM_JOB_ID", "", take_broadcast_job},
  {"preserve", 'p', Takes::Nothing, "", "keep the file's time and mode", "",
   into<&BroadcastOptions::preserve>},
  {"size", 's', Takes::Value, "BYTES", "accepted", "", ignore_option},
  {"timeout", 't', Takes::Value, "SECONDS", "accepted", "", ignore_option},
  {"usage", 0, Takes::Nothing, "", "a short usage message"},
  {"verbose", 'v', Takes::Nothing, "", "accepted", "", ignore_option},
  {"version", 'V', Takes::Nothing, "", "the version"},
};
// clang-format on

constexpr const char* sbcast_operands = "SOURCE DEST";
constexpr const char* sbcast_usage = "Usage: sbcast [OPTIONS] SOURCE DEST\n";
constexpr const char* how_to_write_sbcast = "write: sbcast [OPTIONS] SOURCE DEST";

}  // namespace

Result<ReadBroadcast> parse_broadcast(const std::vector<std::string>& words) {
  BroadcastOptions asked;
  const auto read = read_option_words<BroadcastOptions>({"sbcast", sbcast_usage, sbcast_operands},
                                                        sbcast_table, words, asked);
  if (const auto* shown = std::get_if<Shown>(&read)) return ReadBroadcast(*shown);
  const auto& files = std::get<std::vector<std::string>>(read);
  if (files.size() != 2)
    return Refusal{"Need two file names, have " + std::to_string(files.size()),
                   how_to_write_sbcast};
  if (files[0].empty() || files[1].empty())
    return Refusal{"a file name is empty", how_to_write_sbcast};
  asked.source = files[0];
  asked.destination = files[1];
  return ReadBroadcast(std::move(asked));
}

std::vector<OptionForm> broadcast_options() {
  return forms_of<BroadcastOptions>(sbcast_table);
}

std::vector<std::string> broadcast_words(const BroadcastOptions& asked, const BroadcastSource& file,
                                         std::int64_t nodes) {
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", file.mode & (asked.preserve ? 07777U : 0777U));
  std::vector<std::string> words = {"--overlap",
                                    "--mpi=none",
                                    "--quiet",
                                    "--kill-on-bad-exit=0",
                                    "--ntasks-per-node=1",
                                    "--het-group=all",
                                    "--input=" + file.input,
                                    "--nodes=" + std::to_string(nodes),
                                    "--ntasks=" + std::to_string(nodes),
                                    "--job-name=sbcast"};
  if (!asked.job.empty()) words.push_back("--jobid=" + asked.job);
  // A relative destination is below the current folder of sbcast, where the tasks run; as in Slurm.
  words.insert(words.end(), {"sh", "-c", receiver, asked.program, asked.destination, mode,
                             asked.preserve ? std::to_string(file.changed_s) : "",
                             std::to_string(file.bytes), asked.force ? "force" : ""});
  return words;
}

}  // namespace cox
