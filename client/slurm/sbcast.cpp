#include "client/slurm/sbcast.h"

#include <array>
#include <cstdio>

#include "common/base/text.h"

namespace cox {
namespace {

// $0: the program named in messages, $1: the destination, $2: its mode, $3: its time or "", $4: its
// size in bytes, $5: "force" or "". Every task writes to a temporary file beside the destination,
// so that no process sees half a file. A device or a FIFO is never replaced: all its users would
// lose it. A task that fails prints one error in Slurm's words and does not end the other tasks.
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

// What is accepted is nothing that a step has use for.
// clang-format off
constexpr auto sbcast_table = std::to_array<WordOption>({
  {"compress", 'C', Takes::ValueAttached, "LIBRARY", "accepted: nothing is compressed", ""},
  {"fanout", 'F', Takes::Value, "NUMBER", "accepted: every node is sent to", ""},
  {"force", 'f', Takes::Nothing, "", "replace a file that is there", ""},
  {"help", 'h', Takes::Nothing, "", "this text", ""},
  {"jobid", 'j', Takes::Value, "JOB", "the job; else that of SLURM_JOB_ID", ""},
  {"preserve", 'p', Takes::Nothing, "", "keep its time and all of its mode", ""},
  {"size", 's', Takes::Value, "BYTES", "accepted", ""},
  {"timeout", 't', Takes::Value, "SECONDS", "accepted", ""},
  {"usage", 0, Takes::Nothing, "", "the words in brief", ""},
  {"verbose", 'v', Takes::Nothing, "", "accepted", ""},
  {"version", 'V', Takes::Nothing, "", "the version", ""},
});
// clang-format on

void take(const GivenWord& word, BroadcastOptions& asked) {
  const std::string_view name = word.option->name;
  if (name == "force") asked.force = true;
  if (name == "preserve") asked.preserve = true;
  if (name == "jobid") asked.job = word.value.substr(0, word.value.find('.'));
}

constexpr const char* sbcast_operands = "SOURCE DEST";
constexpr const char* sbcast_usage = "Usage: sbcast [OPTIONS] SOURCE DEST\n";
constexpr const char* how_to_write_sbcast = "write: sbcast [OPTIONS] SOURCE DEST";

}  // namespace

Result<ReadBroadcast> parse_broadcast(const std::vector<std::string>& words) {
  const auto read = read_option_words("sbcast", sbcast_table, words);
  if (const auto* wrong = std::get_if<Shown>(&read)) return ReadBroadcast(*wrong);
  const auto& given = std::get<GivenWords>(read);
  BroadcastOptions asked;
  for (const GivenWord& word : given.options) {
    if (auto told =
            told_instead("sbcast", sbcast_table, word.option->name, sbcast_usage, sbcast_operands))
      return ReadBroadcast(*std::move(told));
    take(word, asked);
  }
  const std::vector<std::string>& files = given.operands;
  if (files.size() != 2)
    return Refusal{"Need two file names, have " + std::to_string(files.size()),
                   how_to_write_sbcast};
  if (files[0].empty() || files[1].empty())
    return Refusal{"the name of a file is empty", how_to_write_sbcast};
  asked.source = files[0];
  asked.destination = files[1];
  return ReadBroadcast(std::move(asked));
}

std::span<const WordOption> broadcast_options() {
  return sbcast_table;
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
  // A destination that is a name alone is one below the folder that sbcast is called in, as Slurm
  // has it.
  words.insert(words.end(), {"sh", "-c", receiver, asked.program, asked.destination, mode,
                             asked.preserve ? std::to_string(file.changed_s) : "",
                             std::to_string(file.bytes), asked.force ? "force" : ""});
  return words;
}

}  // namespace cox
