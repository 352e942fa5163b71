#include "client/show/show_checkpoints.h"

#include <set>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

std::string state_of(const Checkpoint& c) {
  if (c.pruned) return "being removed";
  if (c.damaged) return "damaged";
  return c.set_aside ? "set aside" : "good";
}

// Returns the id of the job, or the name of the array task: "17_4".
std::string job_of(const CheckpointView& view) {
  return view.array_task < 0 ? std::to_string(view.checkpoint.key.job.value)
                             : format_job_ref(view.array_job, std::to_string(view.array_task));
}

std::string kept_text(const CheckpointView& view, const Screen& screen) {
  if (view.checkpoint.pruned) return "now";
  return view.kept_until == Wall{} ? "no" : ago_text(view.kept_until, screen);
}

std::string sum_text(std::size_t count, std::int64_t bytes, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s") + ", " + bytes_text(bytes) +
         "\n";
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

}  // namespace

std::string show_checkpoints(const CheckpointList& list, const Screen& screen) {
  if (list.checkpoints.empty()) return "No checkpoints.\n";
  Table table({"JOB", "NAME", "USER", "STATE", "STEP", "ATTEMPT", "SIZE", "SAVED", "CHECKPOINT",
               "REMOVED"});
  table.right(0).right(4).right(5).right(6);
  constexpr std::size_t name_width_least = 12;
  table.names(1, name_width_least).leaves(5, 1).leaves(2, 2).leaves(3, 3);
  std::int64_t bytes = 0;
  for (const CheckpointView& view : list.checkpoints) {
    const Checkpoint& c = view.checkpoint;
    bytes += c.bytes;
    table.row({job_of(view), printable(view.job_name), printable(view.user_name),
               std::string(name(view.state)), std::to_string(c.step),
               std::to_string(c.key.attempt.value), bytes_text(c.bytes),
               ago_text(c.committed, screen), state_of(c), kept_text(view, screen)});
  }
  return table.text(screen.colour, screen.width) +
         sum_text(list.checkpoints.size(), bytes, "checkpoint");
}

std::vector<CheckpointFolder> orphans_of(const CheckpointList& list,
                                         std::vector<CheckpointFolder> found) {
  std::set<std::string> known;
  for (const CheckpointView& view : list.checkpoints) known.insert(view.folder);
  std::erase_if(found, [&](const CheckpointFolder& folder) {
    for (const std::string& live : list.live_folders)
      if (is_below(folder.path, live) || is_below(live, folder.path)) return true;
    return known.contains(folder.path);
  });
  return found;
}

std::string show_orphans(const std::vector<CheckpointFolder>& orphans) {
  if (orphans.empty()) return "Every checkpoint folder belongs to a checkpoint in the database.\n";
  std::string text;
  std::int64_t bytes = 0;
  for (const CheckpointFolder& one : orphans) {
    text += bytes_text(one.bytes) + "  " + printable(one.path) + "\n";
    bytes += one.bytes;
  }
  return text + sum_text(orphans.size(), bytes, "folder") +
         "No job can resume from these; remove them with rm -r if nobody needs them.\n";
}

}  // namespace cox
