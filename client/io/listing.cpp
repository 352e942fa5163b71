// squeue and sinfo: parses the command line, requests and shows the listing, and with -i repeats
// this.
#include "client/listing.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <map>

#include "client/io/ask.h"
#include "client/io/pages.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"

namespace cox {
namespace {

bool user_exists(const std::string& user) {
  uid_t uid = 0;
  const auto read = std::from_chars(user.data(), user.data() + user.size(), uid);
  if (read.ec == std::errc{} && read.ptr == user.data() + user.size()) return true;
  return ::getpwnam(user.c_str()) != nullptr;
}

}  // namespace

Surroundings surroundings() {
  Surroundings around;
  for (char** each = environ; *each != nullptr; ++each) around.environment.emplace_back(*each);
  around.user_name = own_user_name();
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) around.host_name = host.data();
  around.host_name = around.host_name.substr(0, around.host_name.find('.'));
  around.user_exists = user_exists;
  return around;
}

namespace {

// Returns a function from gid to group name that looks up each group only once, since listings may
// be long.
std::function<std::string(std::uint32_t)> group_names() {
  return [known = std::map<std::uint32_t, std::string>()](std::uint32_t gid) mutable {
    const auto [at, is_new] = known.try_emplace(gid);
    if (is_new) {
      const group* entry = ::getgrgid(gid);
      at->second = entry != nullptr ? entry->gr_name : std::to_string(gid);
    }
    return at->second;
  };
}

// Reports that the controller does not answer: Slurm's message first, then the reason and a hint.
int print_away(const Command& command, const Listing& listing, const Refusal& why) {
  print({"", listing.unreachable + "\n", exit_refused});
  return print_refusal(command, why, {}, exit_refused);
}

int run_once(const Command& command, const Listing& listing, Asker& controller) {
  std::vector<Answer> answers;
  for (const Question& question : listing.questions) {
    auto answer = ask_all_pages(controller, question);
    if (!answer) return print_away(command, listing, answer.refusal());
    if (const auto* refused = std::get_if<Refused>(&*answer))
      return print_refusal(command, refused->why, {}, exit_refused);
    answers.push_back(std::move(*answer));
  }
  FieldView view;
  view.screen = screen_now(STDOUT_FILENO);
  view.group_name = group_names();
  return print(listing.show(answers, view));
}

}  // namespace

int run_listing(const Command& command, const std::vector<std::string>& words) {
  auto read = command.listing(words, surroundings());
  if (const auto* shown = std::get_if<Shown>(&read)) return print(*shown);
  const auto& listing = std::get<Listing>(read);
  print({"", listing.notes, exit_ok});
  auto session = open_session(listing.config);
  if (!session) return print_refusal(command, session.refusal(), {}, exit_refused);
  for (;;) {
    const int code = run_once(command, listing, *session->controller);
    if (code != exit_ok || listing.every_s == 0) return code;
    print({"\n", "", exit_ok});
    pause_for(*session->poller, std::chrono::seconds{listing.every_s});
  }
}

}  // namespace cox
