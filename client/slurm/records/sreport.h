// sreport: reports what was used in a span of time, by cluster, account, user and size of jobs. It
// sums, from the accounting records of jobs (sacct_messages.h), what each attempt held from its
// start on nodes to its end, within the span. Pure.
#pragma once

#include <map>
#include <string>

#include "client/slurm/records/sreport_request.h"
#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

struct ReportSources {
  AccountingPage records;
  AssociationList associations;
  NodeList nodes;
  std::string billing_weights;                      // of the configuration
  std::map<std::string, std::string> proper_names;  // by user
  Wall now{};
};

Shown show_report(const ReportRequest& request, const ReportSources& sources,
                  const SreportOptions& options, const Screen& screen);

}  // namespace cox
