#include "controller/accounting/association_changes.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/accounting/accounting_coordinators.h"
#include "controller/accounting/accounting_fields.h"
#include "controller/accounting/accounting_words.h"
#include "controller/accounting/limit_warnings.h"
#include "controller/accounting/quota_warnings.h"
#include "controller/job/request.h"
#include "controller/limits/hours.h"
#include "controller/state/usage.h"

namespace cox {
namespace {

using Settings = std::vector<AccountingSetting>;
using Names = std::vector<std::string>;

constexpr std::size_t jobs_named_max = 3;

}  // namespace

void AssociationChanges::put(Association association) {
  accounts_.put(association);
  ruling_.changes.emplace_back(AssociationPut{std::move(association)});
}

void AssociationChanges::remove(AssociationId id) {
  accounts_.remove(id);
  ruling_.changes.emplace_back(AssociationRemoved{id});
}

AssociationId AssociationChanges::take_id() {
  const AssociationId id = next_;
  next_.value += 1;
  return id;
}

Result<AccountingRuling> AssociationChanges::ruling(const AccountingRequest& request) {
  if (ruling_.changes.empty() && !skipped_.empty()) return nothing_done(request, skipped_.front());
  for (const Refusal& why : skipped_) say(" Warning: " + why.fact);
  if (request.verb != AccountingVerb::Delete)
    for (const Settings* settings : {&request.where, &request.set})
      for (const std::string& warning : tres_warnings(cluster_, accounts_, *settings))
        say(" Warning: " + warning);
  for (const std::string& warning : quota_warnings(cluster_, qos_, accounts_, quotas_set_))
    say(" Warning: " + warning);
  return std::move(ruling_);
}

Failure AssociationChanges::check_new_quotas(const Association& one, const Settings& set) {
  const auto is_quota = [](const AccountingSetting& s) {
    return s.name == "guarantee" || s.name == "deserved" || s.name == "grptres";
  };
  if (!one.is_account() || std::ranges::none_of(set, is_quota)) return std::nullopt;
  quotas_set_.push_back(one.account);
  return check_quotas(one);
}

// ---- QOS and limits ---------------------------------------------------------------------------

Failure AssociationChanges::check_qos(const Association& one) const {
  Names asked = one.qos;
  if (!one.default_qos.empty()) asked.push_back(one.default_qos);
  for (const std::string& name : asked)
    if (!qos_.contains(name))
      return Refusal{"there is no QOS " + quoted(name), "`cox show qos` lists them"};
  const Names allowed = accounts_.qos_of(one);
  const std::string first = accounts_.default_qos_of(one);
  if (first.empty() || allowed.empty() || std::ranges::find(allowed, first) != allowed.end())
    return std::nullopt;
  return Refusal{text_of(one) + " may not use the default QOS " + first,
                 "add it with qos+=" + first + ", or choose another default"};
}

// Returns the account above `one`, which itself need not be in the tree yet. Null: `one` is the
// root.
const Association* AssociationChanges::above(const Association& one) const {
  if (one.is_root()) return nullptr;
  return accounts_.account(one.is_account() ? one.parent : one.account);
}

// Returns the QOS that the association may use if it has no list of its own: those of the account
// above it, or every QOS if no account above has a list.
Names AssociationChanges::qos_from_above(const Association& one) const {
  Names names;
  if (const Association* account = above(one)) names = accounts_.qos_of(*account);
  if (names.empty())
    for (const auto& [name, qos] : qos_) names.push_back(name);
  return names;
}

std::string AssociationChanges::qos_unasked(const Association& one, const Names& allowed) const {
  std::string named = one.default_qos;
  if (const Association* account = above(one); account != nullptr && named.empty())
    named = accounts_.default_qos_of(*account);
  return cox::qos_unasked(named, allowed);
}

// Sets the list of QOS. "=" replaces the list. "+=" and "-=" start from the QOS that the
// association may use now, inherited or not, and keep the QOS of jobs that name none. If an
// inherited list does not change, it stays inherited.
Failure AssociationChanges::set_qos(Association& one, const AccountingSetting& setting) const {
  if (setting.change == '=') return set_field(one, setting);
  const bool had_none = one.qos.empty();
  const Names from_above = qos_from_above(one);
  if (had_none) one.qos = from_above;
  const std::string unasked = qos_unasked(one, one.qos);
  if (auto f = set_field(one, setting)) return f;
  if (one.qos.empty())
    return Refusal{"without " + setting.value + ", " + text_of(one) + " has no QOS left",
                   "set qos=NAME, or qos=-1 for the QOS of the account above"};
  const bool has_it_yet = std::ranges::find(one.qos, unasked) != one.qos.end();
  if (has_it_yet && qos_unasked(one, one.qos) != unasked) one.default_qos = unasked;
  if (had_none && std::ranges::is_permutation(one.qos, from_above)) one.qos.clear();
  return std::nullopt;
}

Failure AssociationChanges::set_all(Association& one, const Settings& set) const {
  const AssociationLimits before = one.limits;
  for (const AccountingSetting& setting : set) {
    const bool is_qos = setting.name == "qos" || setting.name == "qoslevel";
    if (auto f = is_qos ? set_qos(one, setting) : set_field(one, setting)) return f;
  }
  return check_hours(cluster_.config().hours, one.limits, before);
}

Failure AssociationChanges::check_room(std::size_t more) const {
  if (accounts_.all().size() + more <= limits::associations_max) return std::nullopt;
  return Refusal{"there would be more than " + std::to_string(limits::associations_max) +
                     " accounts and users, the limit",
                 "delete some"};
}

// ---- removal ----------------------------------------------------------------------------------

// Returns the ids of the first few unfinished jobs of each association, for refusals to delete
// it.
const std::map<AssociationId, Names>& AssociationChanges::jobs() {
  if (jobs_) return *jobs_;
  jobs_.emplace();
  for (const JobId id : cluster_.jobs().unfinished())
    if (const Association* one = cluster_.accounting().accounts().of(*cluster_.job(id)->job.spec)) {
      Names& some = (*jobs_)[one->id];
      if (some.size() < jobs_named_max) some.push_back(command_id(cluster_.job(id)->job));
    }
  return *jobs_;
}

Failure AssociationChanges::check_no_jobs(const Association& one) {
  const auto found = jobs().find(one.id);
  if (found == jobs().end()) return std::nullopt;
  return Refusal{"Job(s) active: " + text_of(one) + " has jobs " + joined(found->second, ", ") +
                     (found->second.size() == jobs_named_max ? ", ..." : ""),
                 "wait for their end, or cancel them first"};
}

Failure AssociationChanges::remove_user(const Association& one) {
  if (auto f = check_no_jobs(one)) return f;
  const Association gone = one;
  keep_usage(gone);
  remove(gone.id);
  if (accounts_.of_user(gone.user_name).empty())
    for (Association& led : without_coordinator(accounts_, gone.user_name)) put(std::move(led));
  if (!gone.is_default || !accounts_.default_of(gone.user_name).empty()) return std::nullopt;
  for (const Association* other : accounts_.of_user(gone.user_name)) {
    Association first = *other;
    first.is_default = true;
    put(first);
    break;
  }
  return std::nullopt;
}

// Adds the usage of an association that is being removed to the usage of its account.
void AssociationChanges::keep_usage(const Association& gone) {
  if (gone.usage.empty()) return;
  Association account = *accounts_.account(gone.account);
  add_usage(account, gone.usage, gone.usage_at, cluster_.config().usage.half_life);
  put(account);
}

void AssociationChanges::remove_account(const std::string& name) {
  const Association one = *accounts_.account(name);
  if (!one.usage.empty()) {
    Association above = *accounts_.account(one.parent);
    add_usage(above, one.usage, one.usage_at, cluster_.config().usage.half_life);
    put(above);
  }
  remove(one.id);
}

}  // namespace cox
