// `cox snapshot FILE`: requests the snapshot in parts, and writes the file when it has all of them.
#include "client/io/private/files.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"
#include "client/show/show_words.h"
#include "common/base/text.h"

namespace cox {
namespace {

Result<std::string> ask_all_parts(Asker& controller) {
  std::string all;
  TakeSnapshot ask;
  for (;;) {
    auto answer = controller.ask(ask);
    if (!answer) return answer.refusal();
    if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
    const auto* part = std::get_if<SnapshotPart>(&*answer);
    if (part == nullptr || part->data.empty())
      return Refusal{"the controller sent an unexpected reply", ""};
    all += part->data;
    if (std::ssize(all) >= part->bytes) return all;
    ask = {part->snapshot, std::ssize(all)};
  }
}

}  // namespace

int run_snapshot(const Command& command, const FileOptions& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  auto text = ask_all_parts(*session->controller);
  if (!text) return print_refusal(command, text.refusal(), options, exit_refused);
  if (auto failure = write_file(options.file, *text))
    return print_refusal(command, {failure->fact, "name another file"}, options, exit_refused);
  if (options.json)
    return print({json_text(SavedSnapshot{options.file, std::ssize(*text)}), "", exit_ok});
  const Shown shown{"wrote " + bytes_text(std::ssize(*text)) + " to " + printable(options.file) +
                        "; `cox replay` repeats the scheduler's decisions from it\n",
                    "", exit_ok};
  return print(shown);
}

}  // namespace cox
