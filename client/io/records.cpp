// sacct and seff: looks up the users, groups and environment variables of this host, on which both
// the request and the output depend.
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "client/io/pages.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/slurm/records/sacct.h"
#include "common/base/count_format.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int64_t id_max = 4'294'967'294;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Failure look_up_users(SacctOptions& records) {
  for (std::string& user : records.users) {
    if (user == "-1") {
      records.all_users = true;
      continue;
    }
    const auto number = parse_count(user, 0, id_max);
    const passwd* entry =
        number ? ::getpwuid(static_cast<uid_t>(*number)) : ::getpwnam(user.c_str());
    if (entry == nullptr) return Refusal{"Invalid user id: " + printable(user), ""};
    user = entry->pw_name;
  }
  return std::nullopt;
}

Failure look_up_groups(SacctOptions& records) {
  for (const std::string& group : records.groups) {
    const auto number = parse_count(group, 0, id_max);
    const struct group* entry = number ? nullptr : ::getgrnam(group.c_str());
    if (!number && entry == nullptr) return Refusal{"Invalid group id: " + printable(group), ""};
    records.gids.push_back(number ? static_cast<std::uint32_t>(*number) : entry->gr_gid);
  }
  return std::nullopt;
}

Failure look_up_users_and_groups(SacctOptions& records) {
  const Screen screen = screen_now(STDOUT_FILENO);
  records.here = {screen.now, screen.zone};
  const passwd* self = ::getpwuid(::geteuid());
  records.own_user = self != nullptr ? self->pw_name : std::to_string(::geteuid());
  records.is_root = ::geteuid() == 0;
  records.default_format = variable("SACCT_FORMAT");
  records.time_format = variable("SLURM_TIME_FORMAT");
  if (records.clusters.empty() && !variable("SLURM_CLUSTERS").empty())
    records.clusters = {variable("SLURM_CLUSTERS")};
  if (Failure failure = look_up_users(records)) return failure;
  if (Failure failure = look_up_groups(records)) return failure;
  return resolve_records(records);
}

std::map<std::uint32_t, std::string> group_names(const AccountingPage& page) {
  std::map<std::uint32_t, std::string> names;
  std::set<std::uint32_t> gids;
  for (const JobRecord& record : page.records) gids.insert(record.job.spec->gid);
  for (const std::uint32_t gid : gids)
    if (const struct group* entry = ::getgrgid(gid)) names[gid] = entry->gr_name;
  return names;
}

// Looks up the groups and users that the answer names.
void look_up_names(const AccountingPage& page, SacctOptions& records) {
  constexpr std::string_view user = "user ";
  records.group_names = group_names(page);
  std::set<std::string> actors;
  for (const JobRecord& record : page.records)
    if (record.ended_by.starts_with(user)) actors.insert(record.ended_by);
  for (const std::string& actor : actors) {
    const std::string name = actor.substr(user.size());
    const passwd* entry = ::getpwnam(name.c_str());
    const auto number = parse_count(name, 0, id_max);
    if (entry != nullptr)
      records.uids[actor] = entry->pw_uid;
    else if (number)
      records.uids[actor] = static_cast<std::uint32_t>(*number);
  }
}

void look_up_names(const AccountingPage& page, SeffOptions& options) {
  options.group_names = group_names(page);
}

template <class Asked>
int ask_and_show(const Command& command, Asked& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  const auto answer = ask_all_pages(*session->controller, command.question(options));
  if (!answer) return print_refusal(command, answer.refusal(), options, exit_unreachable);
  if (const auto* refused = std::get_if<Refused>(&*answer))
    return print_refusal(command, refused->why, options, exit_refused);
  if (const auto* page = std::get_if<AccountingPage>(&*answer)) look_up_names(*page, options);
  return print(command.show(*answer, options, screen_now(STDOUT_FILENO)));
}

}  // namespace

int run_records(const Command& command, SacctOptions& options) {
  if (const Failure failure = look_up_users_and_groups(options))
    return print_refusal(command, *failure, options, exit_usage);
  if (const auto shown = show_record_help(options)) return print(*shown);
  return ask_and_show(command, options);
}

int run_efficiency(const Command& command, SeffOptions& options) {
  return ask_and_show(command, options);
}

}  // namespace cox
