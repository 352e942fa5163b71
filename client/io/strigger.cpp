// strigger: checks on this host that the named program and user exist, then sends the request.
#include "client/slurm/strigger.h"

#include <pwd.h>
#include <sys/stat.h>

#include "client/io/pages.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/slurm/list/squeue_request.h"
#include "common/base/count_format.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Checks on this host that the program is a file, as Slurm does. The controller's host may have
// another file at this path, so the controller checks again when it runs the program.
Failure check_file(const std::string& path) {
  struct stat found {};
  constexpr const char* hint = "name a program by its absolute path";
  if (::stat(path.c_str(), &found) != 0)
    return Refusal{"Invalid --program value, file not found", hint};
  if (!S_ISREG(found.st_mode)) return Refusal{"Invalid --program value, not regular file", hint};
  return std::nullopt;
}

Result<std::string> user_named(const std::string& user) {
  if (user.empty()) return user;
  const auto uid = parse_count(user, 0, UINT32_MAX);
  const passwd* entry = uid ? ::getpwuid(static_cast<uid_t>(*uid)) : ::getpwnam(user.c_str());
  if (entry == nullptr) return Refusal{"Invalid user " + printable(user), ""};
  return std::string(entry->pw_name);
}

Result<Shown> carry_out_trigger(const TriggerRequest& wish) {
  if (wish.mode == TriggerRequest::Mode::Set)
    if (auto why = check_file(program_path(wish))) return *why;
  const auto user = user_named(wish.user);
  if (!user) return user.refusal();
  const auto question = trigger_question(wish, *user);
  if (const auto* shown = std::get_if<Shown>(&question)) return *shown;
  auto session = open_session("");
  if (!session) return session.refusal();
  if (auto wrong = wrong_clusters("strigger", wish.clusters, *session->controller))
    return *std::move(wrong);
  const auto answer = ask_all_pages(*session->controller, std::get<Question>(question));
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer))
    return show_trigger_refused(wish, refused->why);
  if (const auto* list = std::get_if<TriggerList>(&*answer))
    return show_triggers(wish, *user, *list);
  if (const auto* acted = std::get_if<Acted>(&*answer)) return show_trigger_acted(wish, *acted);
  return Refusal{"Unexpected message", ""};
}

}  // namespace

int run_strigger(const Command& command, const std::vector<std::string>& words) {
  const auto read = read_strigger(words);
  if (const auto* shown = std::get_if<Shown>(&read)) return print(*shown);
  const auto shown = carry_out_trigger(std::get<TriggerRequest>(read));
  return shown ? print(*shown) : print_refusal(command, shown.refusal(), {}, exit_refused);
}

}  // namespace cox
