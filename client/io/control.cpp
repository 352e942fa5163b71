// scontrol: runs the command that its arguments name. Without arguments, it reads commands from
// standard input, one per line.
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "client/io/ask.h"
#include "client/io/pages.h"
#include "client/io/private/files.h"
#include "client/io/private/job_processes.h"
#include "client/io/private/job_signals.h"
#include "client/io/private/ping.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/slurm/control/restart_warnings.h"
#include "client/slurm/control/scontrol.h"
#include "common/base/text.h"
#include "common/io/clock.h"
#include "common/io/config/config_file.h"
#include "common/io/endpoint.h"
#include "common/job/supervisor_folder.h"
#include "common/syntax/accounting_request.h"

namespace cox {
namespace {

constexpr const char* no_contact = "Unable to contact slurm controller (connect failure)";
constexpr Milliseconds look_again{200};  // pause between requests in `wait_job` and `reconfigure`
constexpr Milliseconds restart_wait{60'000};

std::string group_name(std::uint32_t gid) {
  const group* entry = ::getgrgid(gid);
  return entry == nullptr ? std::to_string(gid) : entry->gr_name;
}

std::optional<std::uint32_t> user_id(const std::string& name) {
  const passwd* entry = ::getpwnam(name.c_str());
  return entry == nullptr ? std::nullopt : std::optional<std::uint32_t>(entry->pw_uid);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the host of a TCP endpoint; for ipc, the name of this host.
std::string host_of(const std::string& endpoint) {
  constexpr std::string_view tcp = "tcp://";
  if (endpoint.starts_with(tcp)) {
    const std::string place = endpoint.substr(tcp.size());
    return place.substr(0, place.rfind(':'));
  }
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::vector<std::string> controller_hosts(const std::string& config_given) {
  const auto config = find_client_config(config_given);
  std::vector<std::string> hosts;
  for (const std::string& one : endpoints_of(config ? config->controller : ""))
    hosts.push_back(host_of(one));
  if (hosts.empty()) hosts.push_back(host_of(""));
  return hosts;
}

// Pings the controllers. Returns one entry per host. A host that cannot be pinged (for example
// because there is no key) has an entry that says that it does not answer.
std::vector<Ping> ping_all(const std::string& config_given, std::size_t hosts) {
  const auto config = find_client_config(config_given);
  const auto options = config ? controller_options(*config) : config.refusal();
  auto pings = options ? ping_controllers(*options) : std::vector<Ping>();
  pings.resize(hosts);
  return pings;
}

class Control {
 public:
  Control(const Command& command, const ScontrolOptions& options)
      : command_(command), options_(options) {
    scene_.as.screen = screen_now(STDOUT_FILENO);
    scene_.as.one_line = options.one_line;
    scene_.as.details = options.details;
    scene_.as.group_name = group_name;
    scene_.as.user_id = user_id;
    scene_.here = {scene_.as.screen.now, scene_.as.screen.zone};
    scene_.hosts = controller_hosts(options.config);
    if (const auto file = find_config(options.config)) scene_.config_file = *file;
    scene_.node_list = environment("SLURM_NODELIST");
    if (scene_.node_list.empty()) scene_.node_list = environment("SLURM_JOB_NODELIST");
    scene_.node_addresses = environment(supervisor_folder::variable_node_addresses);
    scene_.quiet = options.quiet;
    scene_.json = options.json;
  }

  int run(const std::vector<std::string>& words) {
    if (words.empty()) return run_lines();
    block_job_signals_of_requeue(lower_case(words.front()).starts_with("requeue"));
    return carry_out(words);
  }

 private:
  // Carries out an interactive command that only changes a setting, such as "oneliner" (on the
  // command line the option --oneliner). Returns whether the words are such a command.
  bool takes_setting(const std::vector<std::string>& words) {
    const std::string word = lower_case(words.front());
    if (word == "oneliner") return scene_.as.one_line = true;
    if (word == "details") return scene_.as.details = true;
    if (word == "quiet") return scene_.quiet = true;
    return word == "all" || word == "hide" || word == "verbose" || word == "local";
  }

  int run_lines() {
    int exit_code = exit_ok;
    std::string last;
    while (!ended_) {
      std::cout << "scontrol: " << std::flush;
      std::string line;
      if (!std::getline(std::cin, line)) break;
      if (line == "!!") line = last;
      last = line;
      const auto words = split_words(line);
      if (!words)
        exit_code = print({"", "scontrol: error: " + words.refusal().fact + "\n", exit_refused});
      if (!words || words->empty()) continue;
      const int code = carry_out(*words);
      if (code != exit_ok) exit_code = code;
    }
    if (!ended_) std::cout << "\n" << std::flush;
    return exit_code;
  }

  int carry_out(const std::vector<std::string>& words) {
    if (takes_setting(words)) return words.size() == 1 ? exit_ok : carry_out(rest_of(words));
    ControlPlan plan = plan_control(words, scene_);
    while (plan.then) {
      auto answers = ask(plan);
      if (!answers) return unanswered(answers.refusal());
      plan = plan.then(answers->back());
    }
    switch (plan.action) {
      case ControlAction::ListProcesses:
        return print(list_job_processes(plan.cluster, plan.operand));
      case ControlAction::Ping:
        return print(plan.show_pings(ping_all(options_.config, scene_.hosts.size())));
      case ControlAction::End: ended_ = true; break;
      case ControlAction::Show:
      case ControlAction::WriteScript:
      case ControlAction::Restart:
      case ControlAction::WaitForStart: break;
    }
    const auto answers = plan.action == ControlAction::WaitForStart ? ask_until_started(plan)
                         : plan.action == ControlAction::Restart    ? ask_to_restart(plan)
                                                                    : ask(plan);
    if (!answers) return unanswered(answers.refusal());
    if (plan.action == ControlAction::WriteScript)
      if (auto wrong = write_script(plan, answers->front()))
        return print({"", "scontrol: error: " + printable(wrong->fact) + "\n", exit_refused});
    Shown shown = plan.show(*answers);
    if (scene_.quiet) shown.err.clear();
    return print(shown);
  }

  static std::vector<std::string> rest_of(const std::vector<std::string>& words) {
    return {words.begin() + 1, words.end()};
  }

  Result<std::vector<Answer>> ask(const ControlPlan& plan) {
    std::vector<Answer> answers;
    if (!plan.questions.empty() && !session_) {
      auto session = open_session(options_.config);
      if (!session) return session.refusal();
      session_ = std::make_unique<Session>(std::move(session).value());
    }
    for (const Question& question : plan.questions) {
      auto answer = ask_all_pages(*session_->controller, question);
      if (!answer) return answer.refusal();
      answers.push_back(std::move(*answer));
    }
    return answers;
  }

  Result<std::vector<Answer>> ask_until_started(const ControlPlan& plan) {
    for (;;) {
      auto answers = ask(plan);
      if (!answers) return answers;
      const auto* detail = std::get_if<JobDetail>(&answers->back());
      const bool waits = detail != nullptr && (detail->view.job.state == JobState::Pending ||
                                               detail->view.job.state == JobState::Configuring);
      if (!waits) return answers;
      pause_for(*session_->poller, look_again);
    }
  }

  // Returns the nodes and partitions; nothing if the controller does not answer.
  std::optional<NodeList> nodes_now() {
    ControlPlan question;
    question.questions = {ListNodes{}};
    auto answers = ask(question);
    auto* list = answers ? std::get_if<NodeList>(&answers->back()) : nullptr;
    return list == nullptr ? std::nullopt : std::optional<NodeList>(std::move(*list));
  }

  void warn_of_partitions(const std::optional<NodeList>& before) {
    if (scene_.quiet) return;
    if (const auto after = nodes_now(); before && after)
      print({"", restart_warnings(*before, *after), exit_ok});
  }

  static Refusal leads_older_term(Term now, Term before) {
    return {"the controller has restarted, and leads term " + std::to_string(now.value) +
                ", lower than term " + std::to_string(before.value) +
                " before: its database is another one or an older copy, and no node obeys it",
            "correct `database` in [controller] and run scontrol reconfigure again"};
  }

  // Sends the request. Unless it is refused, waits until a controller of a later term leads.
  Result<std::vector<Answer>> ask_to_restart(const ControlPlan& plan) {
    ControlPlan question;
    question.questions = {ShowCluster{}};
    const auto before = ask(question);
    const auto* view = before ? std::get_if<ClusterView>(&before->back()) : nullptr;
    if (view == nullptr) return before;
    const Term term = view->term;
    const auto nodes_before = nodes_now();
    auto answers = ask(plan);
    if (!answers || !std::holds_alternative<Acted>(answers->back())) return answers;
    const Boot end = read_clock().boot + restart_wait;
    while (read_clock().boot < end) {
      const auto now = ask(question);
      const auto* other = now ? std::get_if<ClusterView>(&now->back()) : nullptr;
      if (other != nullptr && other->term > term) {
        warn_of_partitions(nodes_before);
        return answers;
      }
      if (other != nullptr && other->term < term)
        return std::vector<Answer>{Refused{leads_older_term(other->term, term)}};
      pause_for(*session_->poller, look_again);
    }
    return Refusal{"the controller restarts, and none has led since for " +
                       std::to_string(restart_wait.count() / 1'000) + " s",
                   "see the controller's log; 'scontrol ping' shows which controllers answer"};
  }

  static Failure write_script(const ControlPlan& plan, const Answer& answer) {
    const auto* script = std::get_if<Script>(&answer);
    if (script == nullptr || plan.operand == "-") return std::nullopt;
    return write_into(plan.operand, script->text);
  }

  // Prints why there is no answer. Slurm's message comes first if a controller was asked; without a
  // session the configuration is wrong, and no controller was.
  int unanswered(const Refusal& why) {
    if (session_)
      print({"", std::string(command_.name) + ": error: " + no_contact + "\n", exit_refused});
    return print_refusal(command_, why, {}, exit_refused);
  }

  const Command& command_;
  const ScontrolOptions& options_;
  ControlContext scene_;
  std::unique_ptr<Session> session_;
  bool ended_ = false;
};

}  // namespace

int run_control(const Command& command, const ScontrolOptions& options) {
  if (!options.clusters.empty()) {
    const auto session = open_session(options.config);
    if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
    if (const auto wrong = wrong_clusters("scontrol", options.clusters, *session->controller))
      return print(*wrong);
  }
  return Control(command, options).run(options.words);
}

}  // namespace cox
