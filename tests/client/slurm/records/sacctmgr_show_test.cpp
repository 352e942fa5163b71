// Tests which rows the conditions of sacctmgr show select, which conditions it refuses, and its
// JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/slurm/records/sacctmgr.h"

namespace cox {
namespace {

TEST(Sacctmgr, ShowsThatNothingWasChangedAsSlurmDoes) {
  const auto shown =
      show_nothing_done({"Nothing new added: account a already exists", "modify it"});
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->out, " Nothing new added.\n");
  EXPECT_EQ(shown->err, "sacctmgr: error: account a already exists\nsacctmgr: error: modify it\n");
  EXPECT_EQ(shown->exit_code, exit_refused);
  EXPECT_EQ(show_nothing_done({"Nothing deleted: there is no user \"x\"", ""})->out,
            " Nothing deleted\n");
  EXPECT_FALSE(show_nothing_done({"there is no account \"a\"", ""}));
}

using Json = nlohmann::json;

// The accounts are root, physics below it (with a QOS) and lattice below physics. The user ada is
// in lattice and physics, bob in root.
AssociationList a_list() {
  AssociationList list;
  list.cluster = "lake";
  const auto add = [&](const char* account, const char* user, const char* parent) -> Association& {
    Association& one = list.associations.emplace_back().association;
    one.id = AssociationId{std::ssize(list.associations)};
    one.account = account;
    one.user_name = user;
    one.parent = parent;
    return one;
  };
  add("root", "", "");
  add("physics", "", "root").qos = {"high", "low"};
  add("lattice", "", "physics").description = "of spins";
  add("lattice", "ada", "").qos = {"low"};
  add("physics", "ada", "").is_default = true;
  add("root", "bob", "");
  return list;
}

ClusterView a_cluster() {
  ClusterView cluster;
  cluster.name = "lake";
  for (const char* name : {"high", "low"}) cluster.tiers.emplace_back().name = name;
  return cluster;
}

Shown shown(const Answer& answer, std::vector<std::string> words, bool json = false) {
  SacctmgrOptions options;
  options.words = std::move(words);
  options.parsable2 = options.no_header = true;
  options.json = json;
  return show_sacctmgr(answer, options, {});
}

// Returns the rows that `sacctmgr show --json` lists under this key. Also checks that the JSON
// names the cluster, even if no row is listed.
Json json_of(const Answer& answer, std::vector<std::string> words, const char* key) {
  const Shown text = shown(answer, std::move(words), true);
  const Json json = Json::parse(text.out, nullptr, false);
  EXPECT_EQ(text.exit_code, exit_ok) << text.err;
  EXPECT_EQ(json["meta"]["slurm"]["cluster"], "lake") << text.out;
  EXPECT_TRUE(json[key].is_array()) << text.out;
  return json[key];
}

TEST(SacctmgrShow, SelectsRowsByClusterAndQos) {
  const auto rows = [](const std::string& entity, const std::string& condition) {
    return shown(a_list(), {"show", entity, condition, "format=Account,User"}).out;
  };
  EXPECT_EQ(rows("assoc", "qos=HIGH"), "physics|\nphysics|ada\nlattice|\n")
      << "a QOS may be inherited";
  EXPECT_EQ(rows("assoc", "qos=high,low"), "physics|\nphysics|ada\nlattice|\nlattice|ada\n");
  EXPECT_EQ(rows("account", "qos=high"), "physics|\nlattice|\n");
  EXPECT_EQ(rows("user", "qos=nosuch"), "");
  EXPECT_EQ(rows("assoc", "cluster=nosuch"), "");
  EXPECT_EQ(rows("users", "cluster=nosuch,Lake"), "root|bob\nphysics|ada\n");
  EXPECT_EQ(shown(a_list(), {"show", "cluster", "nosuch"}).out, "");
  EXPECT_EQ(shown(a_list(), {"show", "cluster", "lake", "format=cluster"}).out, "lake\n");
  EXPECT_EQ(shown(a_cluster(), {"show", "qos", "where", "low", "format=name"}).out, "low\n");
}

TEST(SacctmgrShow, TakesWordsCutShortAndValuesInQuotes) {
  const auto rows = [](const std::string& entity, std::vector<std::string> words) {
    words.insert(words.begin(), {"show", entity});
    const Shown all = shown(a_list(), std::move(words));
    return all.out + all.err;
  };
  EXPECT_EQ(rows("acc", {"acc=physics", "fo=account"}), "physics\n");
  EXPECT_EQ(rows("acc", {"na='physics'", "format=\"account\""}), "physics\n");
  EXPECT_EQ(rows("assoc", {"acct=\"physics\"", "u=ada", "f=account,user"}), "physics|ada\n");
  EXPECT_EQ(rows("assoc", {"acc=physics", "clus=Lake", "q=high", "u='ada'", "f='user'"}), "ada\n");
  EXPECT_EQ(rows("acc", {"\"physics\"", "witha", "us=ada", "format=user"}), "ada\n");
  EXPECT_EQ(rows("assoc", {"a=physics"}).substr(0, 22), " Unknown condition: a\n")
      << "Slurm asks for more letters, too";
}

TEST(SacctmgrShow, ShowsColumnsByAllOfSlurmsNames) {
  ClusterView cluster = a_cluster();
  QosLimits& limits = cluster.tiers.front().limits;
  limits.grp_submit_jobs = 3;
  limits.max_tres_per_user = {{Tres::Cpus, "", "", 4}};
  limits.max_jobs_per_user = 5;
  limits.max_submit_jobs_per_user = 6;
  limits.max_tres_per_job = {{Tres::Cpus, "", "", 7}};
  limits.min_tres_per_job = {{Tres::Cpus, "", "", 8}};
  limits.max_wall_s = 540;
  EXPECT_EQ(shown(cluster, {"show", "qos", "high",
                            "format=GrpSubmitJobs,MaxTRESPerUser,MaxJobsPerUser,"
                            "MaxSubmitJobsPerUser,MaxTRESPerJob,MinTRESPerJob,"
                            "MaxWallDurationPerJob,UsageFactor,QosRaw,TRES,GrpCPUs,MaxJobsPA"})
                .out,
            "3|cpu=4|5|6|cpu=7|cpu=8|00:09:00|1.000000||||\n");
  EXPECT_EQ(shown(a_list(), {"show", "assoc", "format=ID,ParentID,MaxSubmitJobs,QosLevel"}).out,
            "1|0||\n6|1||\n2|1||high,low\n5|2||\n3|2||\n4|3||low\n");
  EXPECT_EQ(shown(a_list(), {"show", "cluster", "format=Cluster,ControlHost,ControlPort,RPC"}).out,
            "lake|||\n");
  const Shown unknown = shown(a_list(), {"show", "cluster", "format=Cluster,Bogus"});
  EXPECT_EQ(unknown.err.substr(0, 24), " Unknown field \"Bogus\"\n")
      << "Slurm 22.05 refuses it, too";
  EXPECT_EQ(unknown.exit_code, exit_refused);
}

TEST(SacctmgrShow, RefusesConditionsThatDoNotApply) {
  for (const auto& [words, condition, hint] :
       {std::tuple{"qos", "account", "qos=NAME"},
        {"cluster", "qos", "cluster=NAME"},
        {"tres", "user", "type=NAME, name=NAME, id=NUMBER"},
        {"account", "user",
         "account=NAME, cluster=NAME, qos=NAME; with withassoc user=NAME and partition=NAME too"},
        {"assoc", "nosuch", "account=NAME, user=NAME, cluster=NAME, partition=NAME, qos=NAME"}}) {
    const Shown wrong =
        shown(a_cluster(), {"show", words, std::string(condition) + "=x", "format=name"});
    EXPECT_EQ(wrong.exit_code, exit_refused) << words;
    EXPECT_EQ(wrong.out, "");
    EXPECT_EQ(wrong.err, std::string(" Unknown condition: ") + condition +
                             "\n Valid conditions: " + hint + "\n");
  }
  EXPECT_EQ(shown(a_list(), {"show", "account", "user=ada", "withassoc", "format=account"}).out,
            "physics\nlattice\n");
}

TEST(SacctmgrShow, ShowsTresByFormatAndConditions) {
  const auto rows = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"show", "tres"});
    return shown(a_cluster(), std::move(words)).out;
  };
  EXPECT_EQ(rows({}), "cpu||1\nmem||2\nnode||4\nbilling||5\ngres|gpu|1001\n");
  EXPECT_EQ(rows({"format=ID,Type"}), "1|cpu\n2|mem\n4|node\n5|billing\n1001|gres\n");
  EXPECT_EQ(rows({"Type=CPU,gres"}), "cpu||1\ngres|gpu|1001\n");
  EXPECT_EQ(rows({"where", "id=2,4", "format=type"}), "mem\nnode\n");
  EXPECT_EQ(rows({"mem"}), "mem||2\n");
  SacctmgrOptions plain;
  plain.words = {"show", "tres", "name=gpu"};
  EXPECT_EQ(show_sacctmgr(a_cluster(), plain, {}).out,
            "    Type            Name     ID \n-------- --------------- ------ \n"
            "    gres             gpu   1001 \n");
}

TEST(SacctmgrJson, ContainsAllFieldsOfSelectedUsersAndAccounts) {
  const Json users = json_of(a_list(), {"show", "user"}, "users");
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[0]["name"], "ada");
  EXPECT_EQ(users[0]["default"]["account"], "physics") << "the table shows the same";
  EXPECT_EQ(users[0]["associations"].size(), 2U);
  const Json some = json_of(a_list(), {"show", "user", "account=lattice"}, "users");
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(some[0]["default"]["account"], "physics") << "the default account need not be selected";
  ASSERT_EQ(some[0]["associations"].size(), 1U);
  EXPECT_EQ(some[0]["associations"][0]["account"], "lattice");
  const Json accounts = json_of(a_list(), {"show", "account", "lattice"}, "accounts");
  ASSERT_EQ(accounts.size(), 1U);
  EXPECT_EQ(accounts[0]["associations"].size(), 2U) << "its own association and that of its user";
  const Json of_ada = json_of(a_list(), {"show", "account", "withassoc", "user=ada"}, "accounts");
  ASSERT_EQ(of_ada.size(), 2U);
  EXPECT_EQ(of_ada[0]["description"], "of spins");
  EXPECT_EQ(of_ada[0]["associations"].size(), 1U);
}

TEST(SacctmgrJson, HasAKeyForEachKindOfRow) {
  const Json clusters = json_of(a_list(), {"show", "cluster"}, "clusters");
  ASSERT_EQ(clusters.size(), 1U);
  EXPECT_EQ(clusters[0]["name"], "lake");
  EXPECT_EQ(clusters[0]["associations"]["root"]["account"], "root");
  EXPECT_TRUE(json_of(a_list(), {"show", "cluster", "nosuch"}, "clusters").empty());
  EXPECT_TRUE(json_of(a_list(), {"show", "user", "nobody"}, "users").empty());
  EXPECT_EQ(json_of(a_list(), {"show", "assoc", "qos=high"}, "associations").size(), 3U);
  const Json tres = json_of(a_cluster(), {"show", "tres", "gres"}, "TRES");
  ASSERT_EQ(tres.size(), 1U);
  EXPECT_EQ(tres[0], Json({{"type", "gres"}, {"name", "gpu"}, {"id", 1001}, {"count", 0}}));
  const Json qos = json_of(a_cluster(), {"show", "qos"}, "qos");
  ASSERT_EQ(qos.size(), 2U);
  EXPECT_EQ(qos[1]["name"], "low");
  EXPECT_FALSE(qos[1].contains("id")) << "there is no id rather than an equal one for all";
}

}  // namespace
}  // namespace cox
