#include "client/show/show_licences.h"

#include "client/show/show_words.h"
#include "client/text/table.h"
#include "common/base/text.h"

namespace cox {
namespace {

std::string jobs_text(const LicenceView& licence) {
  return joined(names_of_jobs(licence.jobs, licence.job_names), ",");
}

}  // namespace

std::string show_licences(const LicenceList& list, const Screen& screen) {
  if (list.licences.empty())
    return "The cluster has no licences. An administrator lists them as licences in "
           "[scheduling].\n";
  Table table({"LICENCE", "TOTAL", "USED", "FREE", "JOBS"});
  table.right(1).right(2).right(3);
  for (const LicenceView& licence : list.licences)
    table.row({licence.name, std::to_string(licence.total), std::to_string(licence.used),
               std::to_string(licence.total - licence.used), jobs_text(licence)});
  return table.text(screen.colour);
}

}  // namespace cox
