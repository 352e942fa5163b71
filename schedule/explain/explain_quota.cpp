// Explains the quotas of a waiting job's accounts: what each account holds and is entitled to.
#include "schedule/explain/explain_context.h"

namespace cox::schedule {
namespace {

std::string amount(const Quota& quota, std::int64_t count) {
  TresCount one = quota.what;
  one.count = count;
  return tres_amount(one);
}

std::string quota_line(const ExplainContext& context, const Limit& limit, std::int32_t position) {
  const Quota& quota = context.pass.quotas().quotas().at(position);
  std::string line = context.limit_of ? context.limit_of(limit).owner : "its account";
  line += " has " + amount(quota, context.facts.limit_use().used(quota.limit)) + " " +
          tres_name(quota.what) + "; its fair share now is " +
          amount(quota, context.pass.quotas().fair_share(position));
  if (quota.deserved > 0) line += ", deserved " + amount(quota, quota.deserved);
  if (quota.guarantee > 0) line += ", guaranteed " + amount(quota, quota.guarantee);
  return line;
}

}  // namespace

std::vector<std::string> quota_lines(const ExplainContext& context, const Decision& decision) {
  std::vector<std::string> lines;
  const ResolvedRequest& need = *decision.need;
  for (const Limit& limit : *decision.job.limits) {
    const std::int32_t position = context.pass.quotas().quotas().position_of_limit(limit.id);
    if (position < 0 || context.pass.quotas().quotas().at(position).parent < 0) continue;
    if (count_of(limit, *need.request, need.nodes, need.tasks) > 0)
      lines.push_back(quota_line(context, limit, position));
  }
  return lines;
}

}  // namespace cox::schedule
