// Decides requests of sacctmgr about QOS.
#include <algorithm>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/accounting/accounting.h"
#include "controller/accounting/accounting_fields.h"
#include "controller/accounting/accounting_words.h"
#include "controller/accounting/limit_warnings.h"

namespace cox {
namespace {

using Settings = std::vector<AccountingSetting>;
using Names = std::vector<std::string>;

class QosRuler {
 public:
  QosRuler(const Cluster& cluster, AccountingBooks& books) : cluster_(cluster), books_(books) {}

  Result<AccountingRuling> rule(const AccountingRequest& request) {
    Settings where = request.where;
    Failure failed;
    switch (request.verb) {
      case AccountingVerb::Add: failed = add(where); break;
      case AccountingVerb::Modify: failed = modify(where, request.set); break;
      case AccountingVerb::Delete: failed = remove(where); break;
    }
    if (failed) return *failed;
    if (ruling_.changes.empty() && !skipped_.empty())
      return nothing_done(request, skipped_.front());
    for (const Refusal& why : skipped_) ruling_.lines.push_back(" Warning: " + why.fact);
    if (request.verb != AccountingVerb::Delete)
      for (const Settings* settings : {&request.where, &request.set})
        for (const std::string& warning : tres_warnings(cluster_, books_.accounts, *settings))
          ruling_.lines.push_back(" Warning: " + warning);
    return std::move(ruling_);
  }

 private:
  Failure put(Qos qos, const Settings& set) {
    for (const AccountingSetting& setting : set)
      if (auto f = set_field(qos, setting)) return f;
    ruling_.lines.push_back("  " + qos.name);
    books_.qos[qos.name] = qos;
    ruling_.changes.emplace_back(QosPut{std::move(qos)});
    return std::nullopt;
  }

  // Finds the QOS that the request names and that exist; skips the others.
  Failure find_named(Settings& where, Names& names) {
    names = take_values(where, {"name", "qos"});
    if (!where.empty())
      return Refusal{"QOS cannot be selected by " + quoted(where.front().name),
                     "select them by name"};
    if (names.empty()) return Refusal{"no QOS is named", "name it, as in: qos standard"};
    std::vector<std::string_view> known;
    for (const auto& [one, qos] : books_.qos) known.push_back(one);
    std::erase_if(names, [&](const std::string& name) {
      if (books_.qos.contains(name)) return false;
      Refusal why{"there is no QOS " + quoted(name), did_you_mean(name, known)};
      if (why.hint.empty()) why.hint = "`cox show qos` lists them";
      skipped_.push_back(std::move(why));
      return true;
    });
    return std::nullopt;
  }

  Failure add(Settings& settings) {
    const Names names = take_values(settings, {"name"});
    if (names.empty()) return Refusal{"no QOS is named", "add qos NAME"};
    ruling_.lines.push_back(" Adding QOS(s)");
    for (const std::string& name : names) {
      if (auto f = check_accounting_name("a QOS", name)) return f;
      if (books_.qos.contains(name)) {
        skipped_.push_back({"QOS " + name + " already exists", "change it with modify"});
        continue;
      }
      Qos qos;
      qos.name = name;
      if (auto f = put(std::move(qos), settings)) return f;
    }
    return std::nullopt;
  }

  Failure modify(Settings& where, Settings set) {
    Names names;
    if (auto f = find_named(where, names)) return f;
    const auto resets = take_reset(set);
    if (!resets) return resets.refusal();
    ruling_.lines.push_back(" Modified qos...");
    for (const std::string& name : names) {
      if (auto f = put(books_.qos.at(name), set)) return f;
      const auto used = cluster_.accounting().qos_usage().find(name);
      if (*resets && used != cluster_.accounting().qos_usage().end())
        ruling_.changes.emplace_back(QosUsed{{name, {}, used->second.at}});
    }
    return std::nullopt;
  }

  Failure remove(Settings& where) {
    Names names;
    if (auto f = find_named(where, names)) return f;
    ruling_.lines.push_back(" Deleting QOS(s)...");
    for (const std::string& name : names) {
      for (const JobId id : cluster_.jobs().unfinished())
        if (const Job& job = cluster_.job(id)->job; job.spec->qos == name)
          return Refusal{"Job(s) active: job " + command_id(job) + " has QOS " + name,
                         "wait until it has ended, or cancel it first"};
      for (const auto& [id, one] : books_.accounts.all())
        if (one.default_qos == name || std::ranges::find(one.qos, name) != one.qos.end())
          return Refusal{"account " + one.account + " names QOS " + name, "change that first"};
      for (const PartitionConfig& partition : cluster_.config().partitions)
        if (partition.qos == name)
          return Refusal{"partition " + partition.name + " has QOS " + name,
                         "change that in the configuration first"};
      if (name == "standard")
        return Refusal{"QOS standard cannot be deleted: jobs that name no QOS get it", "keep it"};
      books_.qos.erase(name);
      ruling_.changes.emplace_back(QosRemoved{name});
      ruling_.lines.push_back("  " + name);
    }
    return std::nullopt;
  }

  const Cluster& cluster_;
  AccountingBooks& books_;
  AccountingRuling ruling_;
  std::vector<Refusal> skipped_;  // names that the request does not change
};

}  // namespace

Result<AccountingRuling> rule_on_qos(const Cluster& cluster, AccountingBooks& books,
                                     const AccountingRequest& request) {
  return QosRuler(cluster, books).rule(request);
}

}  // namespace cox
