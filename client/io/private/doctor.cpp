// `cox doctor`: collects the facts that client/setup/doctor.h checks. Works without a controller
// and for any user.
#include "client/setup/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "client/io/pages.h"
#include "client/io/private/config_check.h"
#include "client/io/private/doctor_facts.h"
#include "client/io/private/doctor_holder.h"
#include "client/io/private/ping.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"
#include "common/io/clock.h"
#include "common/io/endpoint.h"
#include "common/io/program_place.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

Failure refused(const Result<Answer>& answer) {
  if (!answer) return answer.refusal();
  if (const auto* why = std::get_if<Refused>(&*answer)) return why->why;
  return std::nullopt;
}

// If the user lacks permission for the controller's socket, reports that instead of "does not
// answer".
void note_closed_socket(ControllerFacts& facts) {
  constexpr std::string_view scheme = "ipc://";
  for (const auto& endpoint : endpoints_of(facts.endpoint)) {
    if (!endpoint.starts_with(scheme)) continue;
    const std::string path = endpoint.substr(scheme.size());
    if (::access(path.c_str(), W_OK) == 0 || errno != EACCES) continue;
    const std::string owner = owner_of(path);
    facts.trouble = Refusal{"user " + own_user_name() + " may not use " + endpoint +
                                (owner.empty() ? "" : ": it belongs to " + owner),
                            "run the command as the owner, or give this user a [client] table with "
                            "tcp and a key of their own"};
  }
}

// Looks at the jobs in the first page of the queue: which request mail that cannot be sent, and
// which wait for a partition that is no longer configured.
void look_at_queue(Asker& controller, const std::vector<PartitionView>& partitions,
                   ControllerFacts& facts, std::optional<MailFacts>& mail) {
  const auto answer = controller.ask(ListJobs{});
  const auto* list = answer ? std::get_if<JobList>(&*answer) : nullptr;
  if (list == nullptr) return;
  for (const JobView& view : list->jobs)
    if (mail && !mail->is_there && !view.job.spec->mail_type.empty())
      mail->jobs.push_back(shown_id(view.job));
  facts.partitions_gone = partitions_gone(list->jobs, partitions);
}

ControllerFacts ask_controller(const std::string& config, std::optional<MailFacts>& mail) {
  ControllerFacts facts;
  auto session = open_session(config);
  if (!session) {
    facts.trouble = session.refusal();
    return facts;
  }
  facts.endpoint = session->config.controller;
  // The first request also makes the connection, so the second one is timed.
  auto answer = session->controller->ask(ShowCluster{});
  facts.answers = answer.ok();
  if (!facts.answers) {
    facts.trouble = answer.refusal();
    note_closed_socket(facts);
    return facts;
  }
  const auto options = controller_options(session->config);
  if (options && endpoints_of(options->endpoint).size() > 1)
    facts.each = ping_controllers(*options);
  const Now before = read_clock();
  if (!refused(answer)) answer = session->controller->ask(ShowCluster{});
  const Now after = read_clock();
  facts.trouble = refused(answer);
  if (facts.trouble) return facts;
  facts.view = std::get<ClusterView>(*answer);
  facts.answer_ms = (after.boot - before.boot).count();
  const std::int64_t middle_ms = to_ms(before.wall) + facts.answer_ms / 2;
  facts.clock_offset_ms = to_ms(facts.view.now) - middle_ms;
  auto nodes = session->controller->ask(ListNodes{});
  facts.trouble = refused(nodes);
  if (facts.trouble) return facts;
  NodeList& list = std::get<NodeList>(*nodes);
  facts.nodes = std::move(list.nodes);
  look_at_queue(*session->controller, list.partitions, facts, mail);
  return facts;
}

HostFacts look(const std::string& given) {
  HostFacts facts;
  facts.user = own_user_name();
  facts.config = read_config_report(given);
  if (!facts.config.problems.empty()) return facts;
  const auto config = read_config(facts.config.path);
  if (!config) {
    facts.config.problems.push_back(config.refusal());
    return facts;
  }
  if (has_table(facts.config, "[controller]")) {
    look_at_database(*config, facts);
    facts.listening = look_at_listening(config->controller);
    facts.mail = look_at_mail(config->controller);
  }
  if (has_table(facts.config, "[worker]")) {
    facts.cgroups = look_at_cgroups();
    facts.gpus = look_at_gpus(config->worker);
    facts.handshakes = try_handshakes(*config, "[worker]");
  }
  facts.keys = look_at_keys(*config, facts.config);
  facts.folders = look_at_folders(*config, facts.config);
  if (!has_table(facts.config, "[client]")) return facts;
  facts.controller = ask_controller(facts.config.path, facts.mail);
  if (!facts.controller->answers)
    std::ranges::move(try_handshakes(*config, "[client]"), std::back_inserter(facts.handshakes));
  return facts;
}

}  // namespace

int run_doctor(const Command&, const Options& options) {
  const HostFacts facts = look(options.config);
  const auto findings = findings_of(facts);
  Shown shown = show_findings(findings, screen_now(STDOUT_FILENO));
  if (facts.config.path.empty()) shown.out += example_text(find_example().value_or(""));
  if (options.json) shown.out = json_text(findings);
  return print(shown);
}

}  // namespace cox
