// What the accounts of a waiting job have, beside what they are to have.
#include "schedule/explain/explain_context.h"

namespace cox::schedule {
namespace {

std::string amount(const Quota& quota, std::int64_t count) {
  TresCount one = quota.what;
  one.count = count;
  return tres_amount(one);
}

std::string quota_line(const ExplainContext& told, const Limit& limit, std::int32_t position) {
  const Quota& quota = told.pass.quotas().at(position);
  std::string line = told.limit_of ? told.limit_of(limit).owner : "its account";
  line += " has " + amount(quota, told.pass.limit_use().used(quota.limit)) + " " +
          tres_name(quota.what) + "; its fair share now is " +
          amount(quota, told.pass.fair_share(position));
  if (quota.deserved > 0) line += ", of " + amount(quota, quota.deserved) + " that it deserves";
  if (quota.guarantee > 0) line += ", " + amount(quota, quota.guarantee) + " guaranteed";
  return line;
}

}  // namespace

std::vector<std::string> quota_lines(const ExplainContext& told, const Decision& decision) {
  std::vector<std::string> lines;
  const ResolvedRequest& need = *decision.need;
  for (const Limit& limit : *decision.job.limits) {
    const std::int32_t position = told.pass.quotas().of_limit(limit.id);
    if (position < 0 || told.pass.quotas().at(position).parent < 0) continue;
    if (count_of(limit, *need.request, need.nodes, need.tasks) > 0)
      lines.push_back(quota_line(told, limit, position));
  }
  return lines;
}

}  // namespace cox::schedule
