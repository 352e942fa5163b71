// `cox checkpoint done --step N`, called by a rank. Reports to the supervisor that the rank's part
// of the training step is written, and waits until the supervisor has verified it.
// `cox checkpoint finished`, called by one rank: reports that the work of the job is done.
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "client/io/private/job_signals.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/io/supervisor_socket.h"
#include "client/show/json.h"
#include "client/show/show_words.h"
#include "common/job/supervisor_folder.h"

namespace cox {
namespace {

// Returns the number in an environment variable; -1 if it has none.
std::int32_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  const std::string_view word = text != nullptr ? text : "";
  std::int32_t number = -1;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool whole = !word.empty() && error == std::errc{} && stop == word.data() + word.size();
  return whole ? number : -1;
}

Result<std::int32_t> own_rank(const CheckpointDoneOptions& options) {
  if (options.rank) return *options.rank;
  const std::int32_t rank = number_in(supervisor_folder::variable_rank);
  if (rank < 0) return Refusal{"$COX_RANK is not set to the number of a rank", "give --rank R"};
  return rank;
}

}  // namespace

int run_checkpoint_done(const Command& command, const CheckpointDoneOptions& options) {
  block_job_signals();
  const auto path = supervisor_socket("checkpoint done");
  if (!path) return print_refusal(command, path.refusal(), options, exit_refused);
  const auto rank = own_rank(options);
  if (!rank) return print_refusal(command, rank.refusal(), options, exit_usage);
  const auto answer = report_checkpoint(
      *path, CheckpointDone{*rank, options.step, number_in(supervisor_folder::variable_step)});
  if (!answer) return print_refusal(command, answer.refusal(), options, exit_unreachable);
  if (answer->refused) return print_refusal(command, *answer->refused, options, exit_refused);
  if (options.json) return print({json_text(answer->saved), "", exit_ok});
  return print({"step " + std::to_string(answer->saved.step) + " of rank " + std::to_string(*rank) +
                    " is saved: " + bytes_text(answer->saved.bytes) + " in " +
                    std::to_string(answer->saved.files) +
                    (answer->saved.files == 1 ? " file\n" : " files\n"),
                "", exit_ok});
}

int run_checkpoint_finished(const Command& command, const Options& options) {
  block_job_signals();
  const auto path = supervisor_socket("checkpoint finished");
  if (!path) return print_refusal(command, path.refusal(), options, exit_refused);
  const auto answer = report_checkpoint(*path, WorkFinished{});
  if (!answer) return print_refusal(command, answer.refusal(), options, exit_unreachable);
  if (answer->refused) return print_refusal(command, *answer->refused, options, exit_refused);
  return exit_ok;
}

}  // namespace cox
