#include "tests/sim/administration.h"

#include <algorithm>
#include <array>

#include "common/base/check.h"
#include "common/syntax/accounting_request.h"
#include "controller/accounting/accounting_fields.h"

namespace cox::sim {
namespace {

using Body = decltype(Request::body);

// The minute of the week, counted from Monday 00:00, at which every simulated run begins: Friday,
// 08:00 (Scene::wall).
constexpr std::int32_t story_begins = (4 * 24 + 8) * 60;
constexpr std::int32_t story_minutes = 60;

constexpr std::array tiers{"critical",   "standard", "standard", "paused",
                           "besteffort", "patient",  "spare"};

template <class Row>
void set(Row& row, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const auto failed = set_field(row, {setting.substr(0, equals), '=', setting.substr(equals + 1)});
  CHECK(!failed);
}

Body sacctmgr(const std::string& command) {
  return Administer{*split_words(command), false};
}

}  // namespace

// ---- before the story --------------------------------------------------------------------------

void Administration::set_up(ControllerConfig& config, MemoryTables& tables) {
  meddles_ = random_.one_in(2);
  has_accounts_ = random_.one_in(2);
  has_tiers_ = random_.one_in(2);
  has_quotas_ = has_accounts_ && random_.one_in(2);
  has_partitions_ = random_.one_in(3);
  const std::array half_lives{Milliseconds{0}, Milliseconds{30'000}, Milliseconds{600'000}};
  config.usage.half_life = half_lives[static_cast<std::size_t>(random_.below(3))];
  config.usage.period = random_.time(1'000, 60'000);
  config.kill_invalid_depend = random_.one_in(3);
  if (random_.one_in(4)) config.min_job_age = random_.time(5'000, 30'000);
  if (has_partitions_) add_hours_and_partitions(config, tables);
  if (has_accounts_) add_accounts(tables);
  if (!has_tiers_) return;
  for (Qos& qos : tables.qos)
    if (random_.one_in(2)) set(qos, some_limit_of_tier());
}

// Adds the partition `odd`, whose hours open and close it in turn, each for 1 or 2 minutes, during
// the first 60 minutes of the run; and the partition `floor`, whose QOS has a random limit.
void Administration::add_hours_and_partitions(ControllerConfig& config, MemoryTables& tables) {
  WeekHours odd;
  for (std::int32_t at = static_cast<std::int32_t>(random_.below(2)); at < story_minutes;) {
    const auto end = at + static_cast<std::int32_t>(random_.between(1, 2));
    odd.open.push_back({story_begins + at, story_begins + end});
    at = end + static_cast<std::int32_t>(random_.between(1, 2));
  }
  config.hours["odd"] = odd;
  PartitionConfig by_hours{"odd", {}, false, 0, 0, 0};
  by_hours.hours = "odd";
  if (random_.one_in(3)) by_hours.preempt_mode = PreemptMode::Requeue;
  config.partitions.push_back(by_hours);
  PartitionConfig limited{"floor", {}, false, 0, 0, 0};
  limited.qos = "floor";
  config.partitions.push_back(limited);
  Qos floor{"floor", 1, PreemptMode::Requeue, 0, {}, {}};
  set(floor, some_limit_of_tier());
  tables.qos.push_back(floor);
}

void Administration::add_association(MemoryTables& tables, const std::string& account,
                                     const std::string& user, const std::string& parent,
                                     std::vector<std::string> limits) {
  Association one;
  one.id = AssociationId{tables.associations.rbegin()->first.value + 1};
  one.account = account;
  one.user_name = user;
  one.parent = parent;
  one.is_default = !user.empty() && (user != "bob" || account == "physics");
  for (const std::string& limit : limits) set(one, limit);
  tables.associations[one.id] = one;
}

// Adds a small tree of accounts and users, some with random limits or quotas: lattice is below
// physics, chemistry below biology.
void Administration::add_accounts(MemoryTables& tables) {
  const auto add_account = [&](const std::string& name, const std::string& parent) {
    std::vector<std::string> limits;
    if (random_.one_in(2)) limits.push_back(some_limit_of_account());
    if (has_quotas_) limits.push_back(some_quota());
    add_association(tables, name, "", parent, limits);
  };
  const auto add_user = [&](const std::string& name, const std::string& account) {
    std::vector<std::string> limits;
    if (random_.one_in(2)) limits.push_back(some_limit_of_user());
    add_association(tables, account, name, "", limits);
  };
  add_account("physics", "root");
  add_account("lattice", "physics");
  add_account("biology", "root");
  add_account("chemistry", "biology");
  add_user("ada", "lattice");
  add_user("bob", "physics");
  add_user("bob", "biology");
  add_user("eve", "biology");
  add_user("dan", "chemistry");
}

// ---- limits ------------------------------------------------------------------------------------

std::string Administration::some_count(std::int64_t low, std::int64_t high) const {
  return std::to_string(random_.between(low, high));
}

std::string Administration::some_tres() const {
  switch (random_.below(5)) {
    case 0: return "gres/gpu=" + some_count(1, 6);
    case 1: return "gres/gpu:h100=" + some_count(1, 4);
    case 2: return "node=" + some_count(2, 5);
    default: return "cpu=" + some_count(4, 12);
  }
}

std::string Administration::some_quota() const {
  const std::string name = random_.one_in(2) ? "deserved" : "guarantee";
  const std::string amounts[] = {"cpu=" + some_count(2, 8), "gres/gpu=" + some_count(1, 4),
                                 "gres/gpu:h100=" + some_count(1, 3),
                                 "cpu=" + some_count(2, 8) + ",gres/gpu=" + some_count(1, 4)};
  const std::string amount = amounts[random_.below(4)];
  const bool by_hours = has_partitions_ && random_.one_in(3);
  return name + "=" + amount + (by_hours ? ",cpu=" + some_count(8, 12) + "@odd" : "");
}

std::string Administration::some_limit_of_time() const {
  switch (random_.below(3)) {
    case 0: return "grptresmins=cpu=" + some_count(2, 8);
    case 1: return "grptresmins=gres/gpu=" + some_count(1, 4);
    default: return "grpwall=" + some_count(1, 3);
  }
}

std::string Administration::some_limit_of_account() const {
  switch (random_.below(8)) {
    case 0: return "grpjobs=" + some_count(1, 3);
    case 1: return "grpsubmitjobs=" + some_count(3, 12);
    case 2: return some_limit_of_time();
    case 3: return "maxtres=cpu=" + some_count(4, 8);
    case 4: return "maxjobs=" + some_count(1, 3);
    case 5:
      if (has_partitions_) return "grptres=cpu=4,cpu=" + some_count(6, 12) + "@odd";
      [[fallthrough]];
    default: return "grptres=" + some_tres();
  }
}

std::string Administration::some_limit_of_user() const {
  switch (random_.below(4)) {
    case 0: return "maxsubmitjobs=" + some_count(2, 8);
    case 1: return "grptres=" + some_tres();
    default: return "maxjobs=" + some_count(1, 2);
  }
}

std::string Administration::some_limit_of_tier() const {
  switch (random_.below(9)) {
    case 0: return "grpjobs=" + some_count(1, 3);
    case 1: return "grpsubmitjobs=" + some_count(3, 12);
    case 2: return some_limit_of_time();
    case 3: return random_.one_in(2) ? "maxwall=1" : "maxtres=cpu=" + some_count(4, 8);
    case 4: return "maxjobsperuser=" + some_count(1, 2);
    case 5: return "maxsubmitjobsperuser=" + some_count(2, 8);
    case 6: return "maxtresperuser=" + some_tres();
    default: return "grptres=" + some_tres();
  }
}

// ---- changes during the story ------------------------------------------------------------------

std::string Administration::some_account() const {
  const char* accounts[] = {"physics", "lattice", "biology"};
  return accounts[random_.below(3)];
}

// Returns a random sacctmgr command that adds, removes or moves an account, or adds or removes a
// user. A moved account keeps its usage. The usage of a removed account or user is added to the
// account above.
std::string Administration::change_of_accounts() {
  const char* parents[] = {"root", "physics", "biology"};
  const std::string parent = parents[random_.below(3)];
  switch (random_.below(6)) {
    case 0: return "add account chemistry parent=" + parent;
    case 1: return "add user dan account=chemistry";
    case 2: return "delete user dan account=chemistry";
    case 3: return "delete account chemistry";
    case 4: return "modify account chemistry set parent=" + parent;
    default: return "modify account lattice set parent=" + parent;
  }
}

Body Administration::random_change() {
  const std::string tier = tiers[static_cast<std::size_t>(random_.below(std::ssize(tiers)))];
  if (has_partitions_ && random_.one_in(4)) {
    const char* states[] = {"UP", "UP", "DOWN", "DRAIN"};
    const char* partitions[] = {"all", "odd", "floor"};
    return UpdatePartitions{{partitions[random_.below(3)]}, {{"State", states[random_.below(4)]}}};
  }
  if (!has_accounts_ || random_.one_in(3)) {
    const bool forgets = random_.one_in(4);
    return sacctmgr("modify qos " + tier + " set " +
                    (forgets ? "rawusage=0" : some_limit_of_tier()));
  }
  switch (random_.below(7)) {
    case 0: return sacctmgr("modify account " + some_account() + " set rawusage=0");
    case 1: return sacctmgr("modify user bob set rawusage=0");
    case 2: return sacctmgr("modify user where account=biology set " + some_limit_of_user());
    case 3:
    case 4: return sacctmgr(change_of_accounts());
    default: break;
  }
  const std::string limit =
      has_quotas_ && random_.one_in(2) ? some_quota() : some_limit_of_account();
  return sacctmgr("modify account " + some_account() + " set " + limit);
}

// Returns the requests that lift the limits which could keep a job PENDING for ever: limits of
// minutes (used minutes do not come back), limits of GPUs h100 (no node of the run may have that
// type) and quotas. If administrators change limits in this run, lifts the other limits too. Opens
// all partitions.
std::vector<Body> Administration::requests_lifting_limits() const {
  const std::string timed = "grptresmins=-1 grpwall=-1 grptres=gres/gpu:h100=-1";
  const std::string groups = " grptres=-1 grpjobs=-1 grpsubmitjobs=-1";
  const std::string all = meddles_ ? timed + groups : timed;
  const std::string of_user = all + " maxjobs=-1 maxsubmitjobs=-1";
  const std::string quotas = " guarantee=-1 deserved=-1";
  std::vector<Body> requests{
      sacctmgr("modify qos critical,standard,paused,besteffort,patient,spare" +
               std::string(has_partitions_ ? ",floor" : "") + " set " + all + " maxtresperuser=-1" +
               (meddles_ ? " maxjobsperuser=-1 maxsubmitjobsperuser=-1" : ""))};
  if (has_accounts_) {
    requests.push_back(sacctmgr("modify account physics,lattice,biology set " +
                                (meddles_ ? of_user : all) + quotas));
    requests.push_back(sacctmgr("modify account chemistry set " + of_user + quotas));
    requests.push_back(sacctmgr("modify user where account=physics,lattice,biology,chemistry set " +
                                (meddles_ ? of_user : all)));
  }
  if (has_partitions_)
    requests.push_back(UpdatePartitions{{"all", "odd", "floor"}, {{"State", "UP"}}});
  return requests;
}

// ---- users and accounts of jobs ----------------------------------------------------------------

std::string Administration::some_user(Random& random) const {
  const char* users[] = {"ada", "bob", "eve", "dan"};
  return has_accounts_ ? users[random.below(4)] : "sim";
}

void Administration::fill_in(JobSpec& spec, const std::string& user, Random& random) const {
  if (user == "bob") spec.account = random.one_in(2) ? "physics" : "biology";
  const char* partitions[] = {"", "odd", "odd,all", "floor", "all,floor"};
  if (has_partitions_) spec.partition = partitions[random.below(5)];
  const char* types[] = {"h100", "a100", "h100|a100"};
  if (spec.gpus_per_node > 0 && random.one_in(3)) spec.gpu_type = types[random.below(3)];
  // A limit of minutes (GrpTRESMins, GrpWall) refuses a job without a time limit, so half of these
  // jobs get one.
  if (spec.time_limit_s == 0 && (has_accounts_ || has_tiers_) && random.one_in(2))
    spec.time_limit_s = random.between(30, 60);
}

}  // namespace cox::sim
