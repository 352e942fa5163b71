#include "tests/sim/usage_judge.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "common/base/text.h"
#include "common/syntax/accounting_request.h"

namespace cox::sim {
namespace {

// Relative error allowed, since floating point sums depend on the order.
constexpr double part_off_max = 1e-6;

double seconds(Milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

bool resets_usage(const AccountingRequest& request) {
  return std::ranges::any_of(request.set,
                             [](const AccountingSetting& s) { return s.name == "rawusage"; });
}

bool is_chosen(const AccountingRequest& request, std::string_view by, const std::string& name) {
  bool named = false;
  for (const AccountingSetting& setting : request.where) {
    if (setting.name != by) continue;
    named = true;
    for (const std::string_view part : split(setting.value, ','))
      if (part == name) return true;
  }
  return !named;
}

}  // namespace

void UsageJudge::see(const Change& change) {
  std::visit([this](const auto& c) { see_one(c); }, change);
  changed_ = changed_ || std::holds_alternative<AssociationPut>(change) ||
             std::holds_alternative<AssociationRemoved>(change) ||
             std::holds_alternative<QosUsed>(change);
}

void UsageJudge::restore_from(const UsageJudge& then) {
  changed_ = then.changed_;
  of_association_ = then.of_association_;
  of_qos_ = then.of_qos_;
}

std::map<std::string, double> UsageJudge::rates_of(const Attempt& attempt) const {
  std::map<std::string, double> rates;
  for (const AttemptNode& n : attempt.nodes) {
    rates["node"] += 1;
    rates["cpu"] += static_cast<double>(n.grant.cpus);
    rates["mem"] += static_cast<double>(n.grant.memory_mb);
    const auto node = books_.nodes.find(n.grant.node);
    for (const std::int32_t index : n.grant.gpus) {
      const double part = static_cast<double>(n.grant.gpu_milli) / gpu_whole;
      rates["gres/gpu"] += part;
      if (node == books_.nodes.end()) continue;
      const auto& gpus = node->second.total.gpus;
      const auto device = std::ranges::find(gpus, index, &GpuDevice::index);
      if (device != gpus.end()) rates["gres/gpu:" + device->type] += part;
    }
  }
  // The default billing weights of coxswain.toml.
  rates["billing"] = rates["cpu"] + 10 * rates["gres/gpu"];
  rates["wall"] = 1;
  return rates;
}

// If the attempt is over, charges its usage to the job's association and its QOS.
void UsageJudge::see_one(const AttemptChanged& change) {
  const auto before = books_.attempts.find(change.attempt.key);
  const auto job = books_.jobs.find(change.attempt.key.job);
  if (before == books_.attempts.end() || job == books_.jobs.end()) return;
  if (change.attempt.ended == Wall{} || before->second.ended != Wall{}) return;
  changed_ = true;
  // Usage counts what the attempt was granted when it began; later reports of nodes do not change
  // it.
  const Attempt& began = before->second;
  const Piece piece{rates_of(began), began.began, change.attempt.ended};
  const JobSpec& spec = *job->second.spec;
  if (const Association* charged = books_.charged(spec))
    of_association_[charged->id].push_back(piece);
  for (const Qos* qos : books_.qos_binding(spec, began.partition))
    of_qos_[qos->name].push_back(piece);
}

// Keeps the usage of a removed association: a user's usage goes to the account, an account's to the
// account above.
void UsageJudge::see_one(const AssociationRemoved& change) {
  const auto gone = books_.associations.find(change.id);
  if (gone == books_.associations.end()) return;
  const Pieces pieces = std::exchange(of_association_[change.id], {});
  of_association_.erase(change.id);
  const Association& one = gone->second;
  const Association* heir = books_.find(one.is_account() ? one.parent : one.account, "", "");
  if (heir == nullptr) return;
  Pieces& all = of_association_[heir->id];
  all.insert(all.end(), pieces.begin(), pieces.end());
}

void UsageJudge::see_one(const RequestAnswered& change) {
  const auto words = split_words(change.command);
  const auto request = words ? parse_accounting(*words) : words.refusal();
  if (change.refused || !request || !resets_usage(*request)) return;
  changed_ = true;
  if (request->entity == AccountingEntity::Qos) {
    std::erase_if(of_qos_, [&](const auto& one) { return is_chosen(*request, "name", one.first); });
    return;
  }
  std::erase_if(of_association_, [&](const auto& used) {
    const auto at = books_.associations.find(used.first);
    if (at == books_.associations.end()) return false;
    const Association& one = at->second;
    if (request->entity == AccountingEntity::User)
      return !one.is_account() && is_chosen(*request, "name", one.user_name) &&
             is_chosen(*request, "account", one.account);
    return std::ranges::any_of(books_.chain(one), [&](const Association* up) {
      return up->is_account() && is_chosen(*request, "name", up->account);
    });
  });
}

// Returns the decayed usage at `then`, in seconds of the TRES. Usage halves every half-life. An
// attempt uses at a steady rate, so its decayed usage is an integral, which needs only its begin
// and end.
double UsageJudge::worth(const Pieces& pieces, const std::string& tres, Wall then) const {
  const double life = seconds(books_.config.usage.half_life);
  const auto kept = [&](Wall at) { return std::exp2(-seconds(then - at) / life); };
  double all = 0;
  for (const Piece& piece : pieces) {
    const auto rate = piece.rates.find(tres);
    if (rate == piece.rates.end()) continue;
    const double held = life == 0
                            ? seconds(piece.ended - piece.began)
                            : (kept(piece.ended) - kept(piece.began)) * life / std::numbers::ln2;
    all += rate->second * held;
  }
  return all;
}

void UsageJudge::compare(const std::string& who, const Pieces& pieces,
                         const std::vector<TresUsage>& recorded, Wall recorded_at) {
  std::set<std::string> tres_names;
  for (const Piece& piece : pieces)
    for (const auto& [tres, rate] : piece.rates) tres_names.insert(tres);
  for (const TresUsage& one : recorded) tres_names.insert(one.tres);
  for (const std::string& tres : tres_names) {
    const auto at = std::ranges::find(recorded, tres, &TresUsage::tres);
    const double is = at == recorded.end() ? 0 : at->seconds;
    const double due = worth(pieces, tres, recorded_at);
    if (std::abs(is - due) <= part_off_max * std::max(1.0, due)) continue;
    scene_.story.violated(who + " has used " + std::to_string(due) + " seconds of " + tres +
                          ", and is recorded to have used " + std::to_string(is));
  }
}

void UsageJudge::check_turn(Wall turn_at) {
  if (scene_.is_years_off(turn_at)) is_known_ = false;
  if (!std::exchange(changed_, false) || !is_known_) return;
  static const Pieces none;
  const auto of = [](const auto& all, const auto& key) -> const Pieces& {
    const auto at = all.find(key);
    return at == all.end() ? none : at->second;
  };
  for (const auto& [id, one] : books_.associations)
    compare(one.is_account() ? "account " + one.account
                             : "user " + one.user_name + " in account " + one.account,
            of(of_association_, id), one.usage, one.usage_at);
  for (const auto& [name, qos] : books_.qos) {
    const auto recorded = books_.qos_usage.find(name);
    const QosUsage used = recorded == books_.qos_usage.end() ? QosUsage{} : recorded->second;
    compare("QOS " + name, of(of_qos_, name), used.usage, used.at);
  }
}

// Returns the usage of the account and all below it. Usage is never worth more than when it was
// recorded, even if the clock was set back since.
double UsageJudge::used_by_account(const Association& account, const std::string& tres,
                                   Wall then) const {
  double all = 0;
  for (const auto& [id, pieces] : of_association_) {
    const auto one = books_.associations.find(id);
    if (one == books_.associations.end()) continue;
    const auto up = books_.chain(one->second);
    if (std::ranges::find(up, account.id, &Association::id) != up.end())
      all += worth(pieces, tres, std::max(then, one->second.usage_at));
  }
  return all;
}

double UsageJudge::used_in_qos(const std::string& qos, const std::string& tres, Wall then) const {
  const auto at = of_qos_.find(qos);
  if (at == of_qos_.end()) return 0;
  const auto recorded = books_.qos_usage.find(qos);
  const Wall known = recorded == books_.qos_usage.end() ? Wall{} : recorded->second.at;
  return worth(at->second, tres, std::max(then, known));
}

}  // namespace cox::sim
