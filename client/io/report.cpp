// sreport: requests the data of its reports from the controller, and looks up the full names of
// users on this host.
#include <pwd.h>

#include <cstdlib>

#include "client/io/pages.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/slurm/records/sreport.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Returns each user's full name: the first part of the GECOS field.
std::map<std::string, std::string> proper_names(const AccountingPage& page) {
  std::map<std::string, std::string> names;
  for (const JobRecord& record : page.records) names[record.job.spec->user_name];
  for (auto& [user, proper] : names)
    if (const passwd* entry = ::getpwnam(user.c_str())) {
      const std::string whole = entry->pw_gecos == nullptr ? "" : entry->pw_gecos;
      proper = whole.substr(0, whole.find(','));
    }
  return names;
}

template <class Expected>
Result<Expected> ask(Session& session, Question question) {
  auto answer = ask_all_pages(*session.controller, std::move(question));
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  auto* expected = std::get_if<Expected>(&*answer);
  if (expected == nullptr) return Refusal{"Unexpected message", ""};
  return std::move(*expected);
}

Result<ReportSources> sources_of(Session& session, const ReportRequest& request) {
  ReportSources sources;
  auto records = ask<AccountingPage>(session, ask_report(request));
  if (!records) return records.refusal();
  auto associations = ask<AssociationList>(session, ListAssociations{});
  if (!associations) return associations.refusal();
  auto nodes = ask<NodeList>(session, ListNodes{});
  if (!nodes) return nodes.refusal();
  auto cluster = ask<ClusterView>(session, ShowCluster{});
  if (!cluster) return cluster.refusal();
  sources.records = std::move(*records);
  sources.associations = std::move(*associations);
  sources.nodes = std::move(*nodes);
  sources.billing_weights = cluster->billing_weights;
  sources.records.cluster = cluster->name;
  sources.now = cluster->now;
  sources.proper_names = proper_names(sources.records);
  return sources;
}

}  // namespace

int run_report(const Command& command, SreportOptions& options) {
  const Screen screen = screen_now(STDOUT_FILENO);
  if (const char* tres = std::getenv("SREPORT_TRES"); tres != nullptr && options.tres.empty())
    options.tres = tres;
  const auto request = report_request(options, {screen.now, screen.zone});
  if (!request) return print_refusal(command, request.refusal(), options, exit_refused);
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  for (const auto& asked : {options.clusters, request->clusters})
    if (const auto wrong = wrong_clusters("sreport", asked, *session->controller))
      return print(*wrong);
  const auto sources = sources_of(*session, *request);
  if (!sources) return print_refusal(command, sources.refusal(), options, exit_refused);
  return print(show_report(*request, *sources, options, screen));
}

}  // namespace cox
