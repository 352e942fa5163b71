// Tests which requests and notes `cox import` makes of Slurm's accounts, users and QOS, and their
// order.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "client/setup/slurm_import_parts.h"

namespace cox {
namespace {

// Returns the requests that a file becomes, one a line, and the notes below them.
std::string requests_of(const std::string& text, ImportDraft draft = {}) {
  const SourceFile source{"/etc/f", text, false};
  const bool is_table = text.find("Name|") != text.npos;
  const Failure failure =
      is_table ? import_qos_table(source, draft) : import_accounts(source, draft);
  if (failure) return failure->fact + "; " + failure->hint;
  finish_accounts(draft);
  std::string out;
  for (const std::string& request : draft.accounting) out += request + "\n";
  for (const std::string& note : draft.notes) out += "  " + note + "\n";
  return out;
}

TEST(SlurmAccounts, in_a_dump_of_sacctmgr_become_requests) {
  EXPECT_EQ(
      requests_of("# To edit this file\n\n"
                  "Cluster - 'lab':Fairshare=1:QOS='normal,+fast':DefaultQOS='normal':MaxJobs=9\n"
                  "Parent - 'root'\n"
                  "Account - 'root':Description='x':Organization='y':Fairshare=7\n"
                  "User - 'root':DefaultAccount='root':AdminLevel='None'\n"
                  "Account - 'vision':Description=\"the lab's: eyes\":Organization='lab':"
                  "Fairshare=10:GrpTRES=cpu=64,gres/gpu:h100=8:MaxJobs=3\n"
                  "Account - 'guests':Fairshare=2147483647:GrpTRESRunMins=cpu=100:Colour=red\n"
                  "Parent - 'vision'\n"
                  "Account - 'deep':DefaultQOS='critical'\n"
                  "User - 'ada':DefaultAccount='vision':QOS='-slow,+high,long':"
                  "Coordinator='guests':AdminLevel='Operator'\n"
                  "User - 'bob':DefaultAccount='guests':MaxTRES=cpu=4:Coordinator='guests'\n"
                  "Parent - 'guests'\n"
                  "User - 'bob':DefaultAccount='guests':Coordinator='guests'\n"),
      "add qos normal preemptmode=off\n"
      "add qos fast preemptmode=off\n"
      "add qos slow preemptmode=off\n"
      "add qos high preemptmode=off\n"
      "add qos long preemptmode=off\n"
      "modify account root set QOS=normal DefaultQOS=normal MaxJobs=9\n"
      "modify account root set qos+=fast\n"
      "add user root account=root DefaultAccount=root\n"
      "add account vision \"Description=the lab's: eyes\" Organization=lab Fairshare=10 "
      "GrpTRES=cpu=64,gres/gpu:h100=8 MaxJobs=3\n"
      "add account guests fairshare=parent\n"
      "add account deep parent=vision DefaultQOS=critical\n"
      "add user ada account=vision DefaultAccount=vision QOS=long\n"
      "modify user where name=ada account=vision set qos-=slow\n"
      "modify user where name=ada account=vision set qos+=high\n"
      "add user bob account=vision MaxTRES=cpu=4\n"
      "add user bob account=guests DefaultAccount=guests\n"
      "add coordinator account=guests names=ada\n"
      "add coordinator account=guests names=bob\n"
      "  f:8: GrpTRESRunMins=cpu=100: not imported: use GrpTRESMins: it counts recent usage, and "
      "running jobs up to their time limits\n"
      "  f:8: Colour=red: not imported: unknown setting\n"
      "  f:11: AdminLevel=Operator: not imported: the only administrator is the user that the "
      "controller runs as\n"
      "  QOS normal: created without limits, since a dump contains none; pass the output of "
      "`sacctmgr -P show qos` too\n"
      "  QOS fast: created without limits, since a dump contains none; pass the output of "
      "`sacctmgr -P show qos` too\n"
      "  QOS slow: created without limits, since a dump contains none; pass the output of "
      "`sacctmgr -P show qos` too\n"
      "  QOS high: created without limits, since a dump contains none; pass the output of "
      "`sacctmgr -P show qos` too\n"
      "  QOS long: created without limits, since a dump contains none; pass the output of "
      "`sacctmgr -P show qos` too\n");
  EXPECT_EQ(requests_of("Cluster - 'x'\nUser - \n"),
            "  f:2: User: not imported: \"User\" is not a command that changes accounts; possible: "
            "add, create, modify, update, delete, remove; sacctmgr also has show, list, dump and "
            "load\n");
  EXPECT_EQ(requests_of("Parent - 'root'\nAccount - '':Fairshare=1\n"),
            "f:2: no name after account; write account - NAME");
}

TEST(SlurmAccounts, in_sacctmgr_commands_become_requests) {
  EXPECT_EQ(requests_of("sacctmgr -i add cluster Name=x QOS=fast Fairshare=5 odd MaxJobs=2\n"
                        "add cluster y\n"
                        "add QOS Name=fast,slow Priority=5 Flags=DenyOnLimit PreemptMode=cancel\n"
                        "add qos standard Priority=7\n"
                        "modify qos fast set GraceTime=5 Flags=x\n"
                        "sacctmgr\n# nothing\n  -i\n"
                        "add account physics Fairshare=3 description='a \"b' # a comment\n"
                        "delete account x\n"
                        "remove QOS where Name=normal\n"
                        "list associations\n"
                        "show qos\n"
                        "add coordinator account=physics names=ada\n"
                        "add nonsense x\n"
                        "modify user ada set qos+=night adminlevel=Admin\n"
                        "modify account physics set Fairshare=2147483647 MaxJobs=2147483647 "
                        "DefaultWCKey=none AdminLevel=\n"),
            "add qos night preemptmode=off\n"
            "add qos fast priority=5 preemptmode=cancel\n"
            "add qos slow priority=5 preemptmode=cancel\n"
            "modify qos standard set priority=7 preemptmode=off\n"
            "modify qos fast set GraceTime=5\n"
            "modify account root set QOS=fast MaxJobs=2\n"
            "add account physics Fairshare=3 \"description=a  b\"\n"
            "modify user ada set qos+=night\n"
            "modify account physics set fairshare=parent MaxJobs=2147483647\n"
            "add coordinator account=physics names=ada\n"
            "  f:3: flags=DenyOnLimit: not imported: leave it out: a job that can never fit a "
            "limit is refused, others wait\n"
            "  f:5: Flags=x: not imported: leave it out: a job that can never fit a limit is "
            "refused, others wait\n"
            "  f:10: delete account x: not imported: there is nothing to delete yet\n"
            "  f:11: remove QOS where Name=normal: not imported: there is nothing to delete yet\n"
            "  f:12: list associations: the same in Coxswain: it only prints\n"
            "  f:13: show qos: the same in Coxswain: it only prints\n"
            "  f:15: add nonsense x: not imported: \"nonsense\" is not a kind of record here; "
            "possible: account, accounts, acct, user, users, qos, coordinator, coordinators\n"
            "  f:16: adminlevel=Admin: not imported: the only administrator is the user that the "
            "controller runs as\n"
            "  QOS night: created without limits, since a dump contains none; pass the output of "
            "`sacctmgr -P show qos` too\n");
  EXPECT_EQ(requests_of("add account x\nadd account \"y\n"),
            "f:2: a quotation mark is not closed; close it");
}

TEST(SlurmAccounts, changes_of_qos_lists_become_separate_requests) {
  ImportDraft draft;
  draft.qos_made = {"high", "low", "day", "fast"};
  EXPECT_EQ(
      requests_of("modify user ada set qos=+high\n"
                  "modify user where name=bob set MaxJobs=3 qos=low,+high,-day\n"
                  "modify user ann set qos=+low where account=x\n"
                  "add cluster lab qos=+fast\n"
                  "add user eve account=root qos=+high\n",
                  draft),
      "modify user ada set qos+=high\n"
      "modify user where name=bob set MaxJobs=3 qos=low\n"
      "modify user where name=bob set qos+=high\n"
      "modify user where name=bob set qos-=day\n"
      "modify user ann set qos+=low where account=x\n"
      "modify account root set qos+=fast\n"
      "add user eve account=root\n"
      "  f:5: qos+=high: not imported: add it first; then modify can change its list of QOS\n");
}

TEST(SlurmAccounts, a_table_of_qos_is_parsed_by_its_column_names) {
  EXPECT_EQ(requests_of("# of sacctmgr\n\n"
                        "Name|Priority|GraceTime|PreemptMode|UsageFactor|MaxWall|MaxTRESPU|MinTRES|"
                        "Flags|\n"
                        "normal|0|00:00:00|cluster|1.000000||||\n"
                        "high|100|00:02:00|requeue|2.000000|1-00:00:00|gres/gpu=16|cpu=2|Deny|\n"
                        "|5|||||||\n"
                        "slow|7|soon|\n"
                        "critical|9|||1.0||||||more\n"),
            "add qos normal priority=0 preemptmode=off\n"
            "add qos high priority=100 gracetime=120 preemptmode=requeue maxwall=1-00:00:00 "
            "maxtrespu=gres/gpu=16 mintresperjob=cpu=2\n"
            "add qos slow priority=7 gracetime=soon preemptmode=off\n"
            "modify qos critical set priority=9 preemptmode=off\n"
            "  f:5: usagefactor=2.000000: not imported: use billing_weights of the configuration\n"
            "  f:5: flags=Deny: not imported: leave it out: a job that can never fit a limit is "
            "refused, others wait\n");
}

TEST(SlurmAccounts, qos_without_a_preempt_mode_get_that_of_the_cluster) {
  for (const auto& [type, mode, becomes] : {std::tuple{"preempt/qos", "requeue", "requeue"},
                                            {"preempt/qos", "cancel", "cancel"},
                                            {"preempt/qos", "suspend", "suspend"},
                                            {"preempt/qos", "gang,suspend", "suspend"},
                                            {"preempt/qos", "suspend,gang", "suspend"},
                                            {"preempt/qos", "off", "off"},
                                            {"preempt/qos", "", "off"},
                                            {"preempt/none", "requeue", "off"},
                                            {"", "requeue", "off"}}) {
    ImportDraft draft;
    draft.preempt_type = type;
    draft.preempt_mode = mode;
    EXPECT_EQ(requests_of("add qos fast\n", draft),
              std::string("add qos fast preemptmode=") + becomes + "\n");
    draft.qos_named = {"slow", "standard", "besteffort", "critical"};
    EXPECT_TRUE(requests_of("", draft).starts_with(std::string("add qos slow preemptmode=") +
                                                   becomes +
                                                   "\n  QOS slow: created without limits"))
        << requests_of("", draft);
  }
}

}  // namespace
}  // namespace cox
