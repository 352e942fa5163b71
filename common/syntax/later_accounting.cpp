#include "common/syntax/later_accounting.h"

#include <algorithm>
#include <array>
#include <string>

#include "common/base/text.h"

namespace cox {
namespace {

struct Later {
  std::string_view name;     // lower case
  std::string_view instead;  // alternative for an association; empty: supported for associations
  std::string_view of_qos;   // alternative for a QOS; empty: supported for QOS
};

constexpr std::string_view by_account = "limit the account: GrpTRES, GrpJobs, GrpSubmitJobs";
constexpr std::string_view by_user_of_qos =
    "use a QOS: modify qos NAME set MaxTRESPerUser=...; or limit the user's own row: modify "
    "user NAME where account=ACCOUNT set GrpTRES=...";
constexpr std::string_view running_minutes =
    "use GrpTRESMins: it counts recent usage, and running jobs up to their time limits";
constexpr std::string_view by_tiers = "use priority=N: a higher tier preempts lower ones";
constexpr std::string_view per_node =
    "use MaxTRES for a whole job, or max_nodes and max_memory_mb_per_node "
    "of a partition";
constexpr std::string_view by_submit =
    "use GrpSubmitJobs or MaxSubmitJobs: they limit pending and running jobs together";
constexpr std::string_view minutes_of_job =
    "use MaxTRESMins of the account, or MaxWall with MaxTRES";
constexpr std::string_view refused_anyway =
    "leave it out: a job that can never fit a limit is refused, others wait";
constexpr std::string_view by_weights = "use billing_weights of the configuration";
constexpr std::string_view cpu_tres =
    "write it as a TRES: cpu=NUMBER in GrpTRES, MaxTRES, "
    "GrpTRESMins or MaxTRESMins";
constexpr std::string_view node_tres = "write it as a TRES: node=NUMBER in GrpTRES or MaxTRES";
constexpr std::string_view submit_of_qos =
    "write MaxSubmitJobsPerUser, or GrpSubmitJobs for all users together";
constexpr std::string_view by_qos = "use MinTRESPerJob of a QOS";
constexpr std::string_view by_coordinator = "write: add coordinator account=ACCOUNT names=USER";
constexpr std::string_view by_tier_of_qos =
    "use the tier of the job's QOS: set qos=NAME, or "
    "modify qos NAME set priority=N";

// clang-format off
constexpr auto all_later = std::to_array<Later>({
    {"grptresrunmins",        running_minutes, running_minutes},
    {"grptresrunmin",         running_minutes, running_minutes},
    {"maxtresrunmins",        running_minutes, running_minutes},
    {"maxtresrunminspa",      running_minutes, running_minutes},
    {"maxtresrunminspu",      running_minutes, running_minutes},
    {"maxtresrunminsperuser", running_minutes, running_minutes},
    {"maxtrespernode",        per_node,        per_node},
    {"maxtrespn",             per_node,        per_node},
    {"maxtrespa",             by_account,      by_account},
    {"maxtresperaccount",     by_account,      by_account},
    {"maxjobspa",             by_account,      by_account},
    {"maxjobsperaccount",     by_account,      by_account},
    {"maxsubmitpa",           by_account,      by_account},
    {"maxsubmitjobspa",       by_account,      by_account},
    {"maxsubmitjobsperaccount", by_account,    by_account},
    {"maxtrespu",             by_user_of_qos,  ""},
    {"maxtresperuser",        by_user_of_qos,  ""},
    {"maxjobspu",             "MaxJobs bounds each user's jobs", ""},
    {"maxjobsperuser",        "MaxJobs bounds each user's jobs", ""},
    {"maxjobs",               "", "use MaxJobsPerUser, or GrpJobs for all users together"},
    {"maxsubmitjobs",         "",              submit_of_qos},
    {"maxsubmit",             "",              submit_of_qos},
    {"mintres",               by_qos,          ""},
    {"mintresperjob",         by_qos,          ""},
    {"maxtresmins",           "",              minutes_of_job},
    {"maxtresminsperjob",     "",              minutes_of_job},
    {"maxtresminspj",         "",              minutes_of_job},
    {"maxjobsaccrue",         by_submit,       by_submit},
    {"maxjobsaccruepa",       by_submit,       by_submit},
    {"maxjobsaccruepu",       by_submit,       by_submit},
    {"maxjobsaccrueperuser",  by_submit,       by_submit},
    {"maxjobsaccrueperaccount", by_submit,     by_submit},
    {"grpjobsaccrue",         by_submit,       by_submit},
    {"minpriothreshold",      by_submit,       by_submit},
    {"minpriothres",          by_submit,       by_submit},
    {"flags",                 refused_anyway,  refused_anyway},
    {"usagefactor",           by_weights,      by_weights},
    {"limitfactor",           by_weights,      by_weights},
    {"usagethreshold",        by_weights,      by_weights},
    {"usagethres",            by_weights,      by_weights},
    {"preempt",               by_tiers,        by_tiers},
    {"priority",              by_tier_of_qos,  ""},
    {"coordinator",           by_coordinator, ""},
    {"coordinators",          by_coordinator, ""},
    {"adminlevel",            "the only administrator is the user that the controller runs as", ""},
    {"grpcpus",               cpu_tres,        cpu_tres},
    {"maxcpus",               cpu_tres,        cpu_tres},
    {"grpcpumins",            cpu_tres,        cpu_tres},
    {"maxcpumins",            cpu_tres,        cpu_tres},
    {"grpnodes",              node_tres,       node_tres},
    {"maxnodes",              node_tres,       node_tres},
});
// clang-format on

}  // namespace

Failure later_setting(AccountingObject whose, std::string_view name) {
  const auto found = std::ranges::find(all_later, name, &Later::name);
  if (found == all_later.end()) return std::nullopt;
  const bool of_qos = whose == AccountingObject::Qos;
  const std::string_view instead = of_qos ? found->of_qos : found->instead;
  if (instead.empty()) return std::nullopt;
  return Refusal{
      quoted(name) + (of_qos ? " of a QOS" : " of accounts and users") + " is not supported",
      std::string(instead)};
}

}  // namespace cox
