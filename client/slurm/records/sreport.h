// sreport: what was used in a span of time, by cluster, account, user and size of jobs. It is
// counted from the accounting of jobs (sacct_messages.h): of each attempt what it held, from the
// moment it was placed to its end, as far as that lies in the span. Pure.
#pragma once

#include <map>
#include <string>

#include "client/options.h"
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
                  const Options& options, const Screen& screen);

}  // namespace cox
