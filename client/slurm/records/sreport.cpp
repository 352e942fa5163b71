#include "client/slurm/records/sreport.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "client/show/account_tree.h"
#include "client/slurm/records/sreport_table.h"
#include "client/slurm/text/record.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/resources/tres.h"

namespace cox {
namespace {

// An amount of each TRES; the index is a ReportTres.
using Amounts = std::array<double, 5>;

double& of(Amounts& amounts, ReportTres tres) {
  return amounts[static_cast<std::size_t>(tres)];
}
double of(const Amounts& amounts, ReportTres tres) {
  return amounts[static_cast<std::size_t>(tres)];
}

double overlap_s(Wall from, Wall to, const ReportRequest& request) {
  const auto common = std::min(to, request.end) - std::max(from, request.start);
  return std::max(0.0, static_cast<double>(common.count()) / 1000.0);
}

// Returns the billing units of the TRES. Records do not have the types of GPUs, so all GPUs get the
// weight of gres/gpu or, if that is not set, the highest weight of a type (gres/gpu:h100).
double billing_of(const Amounts& amounts, const std::vector<BillingWeight>& weights) {
  constexpr double mib_per_gib = 1024;
  double billing = 0;
  double typed = 0;
  bool has_plain = false;
  for (const BillingWeight& weight : weights) {
    const double each = static_cast<double>(weight.milli) / 1000.0;
    const bool is_gpu = weight.of.what == Tres::GpuMilli;
    if (weight.of.what == Tres::Cpus) billing += each * of(amounts, ReportTres::Cpu);
    if (weight.of.what == Tres::Nodes) billing += each * of(amounts, ReportTres::Node);
    if (weight.of.what == Tres::MemoryMb)
      billing += each * of(amounts, ReportTres::Memory) / mib_per_gib;
    if (is_gpu && weight.of.type.empty()) billing += each * of(amounts, ReportTres::Gpu);
    if (is_gpu && !weight.of.type.empty()) typed = std::max(typed, each);
    has_plain = has_plain || (is_gpu && weight.of.type.empty());
  }
  return billing + (has_plain ? 0 : typed * of(amounts, ReportTres::Gpu));
}

// What one user has used in one account, in TRES-seconds.
struct Share {
  std::string user;
  std::string account;
  Amounts used{};
};

class Reporting {
 public:
  Reporting(const ReportRequest& request, const ReportSources& sources)
      : request_(request), sources_(sources) {
    if (auto weights = parse_billing_weights(sources.billing_weights)) weights_ = *weights;
    for (const NodeView& view : sources.nodes.nodes) add(capacity_, capacity_of(view));
    for (const AssociationView& view : sources.associations.associations)
      if (view.association.is_account())
        parents_[view.association.account] = view.association.parent;
  }

  std::vector<ReportRow> rows() {
    switch (request_.kind) {
      case ReportKind::Utilization: return utilization();
      case ReportKind::AccountByUser: return accounts_by_user();
      case ReportKind::UserByAccount:
      case ReportKind::TopUsage: return users();
      case ReportKind::SizesByAccount: return sizes();
    }
    return {};
  }

  // Returns the heads of the columns of SizesByAccount after cluster and account: one for each
  // group of job sizes.
  std::vector<std::string> size_heads();
  std::string size_head(std::size_t group) const;

 private:
  static void add(Amounts& sum, const Amounts& more, double times = 1) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i] * times;
  }

  Amounts capacity_of(const NodeView& view) const {
    const NodeResources& total = view.node.total;
    Amounts amounts{};
    of(amounts, ReportTres::Cpu) = static_cast<double>(total.cpus);
    of(amounts, ReportTres::Memory) = static_cast<double>(total.memory_mb);
    of(amounts, ReportTres::Node) = 1;
    of(amounts, ReportTres::Gpu) = static_cast<double>(total.gpus.size());
    of(amounts, ReportTres::Billing) = billing_of(amounts, weights_);
    return amounts;
  }

  Amounts held_by(const RunRecord& run) const {
    Amounts amounts{};
    of(amounts, ReportTres::Cpu) = static_cast<double>(run.cpus);
    of(amounts, ReportTres::Memory) = static_cast<double>(run.memory_mb);
    of(amounts, ReportTres::Node) = static_cast<double>(run.nodes);
    of(amounts, ReportTres::Gpu) = static_cast<double>(run.gpu_milli) / 1000.0;
    of(amounts, ReportTres::Billing) = billing_of(amounts, weights_);
    return amounts;
  }

  double held_s(const RunRecord& run) const {
    if (run.number.value == 0) return 0;
    return overlap_s(run.began, run.ended == Wall{} ? sources_.now : run.ended, request_);
  }

  double span_s() const {
    return static_cast<double>((request_.end - request_.start).count()) / 1000.0;
  }
  double whole(ReportTres tres) const { return of(capacity_, tres) * span_s(); }

  // Returns the account of the job. A job without an account counts for the root account.
  static std::string account_of(const JobRecord& record) {
    const std::string& account = record.job.spec->account;
    return account.empty() ? std::string(root_account) : account;
  }

  bool is_wanted(const std::string& account) const {
    if (request_.accounts.empty()) return true;
    for (const std::string& above : chain(account))
      if (std::ranges::find(request_.accounts, above) != request_.accounts.end()) return true;
    return false;
  }

  // Returns the account, its parent and so on, up to the root account.
  std::vector<std::string> chain(const std::string& account) const {
    std::vector<std::string> names{account};
    for (auto at = parents_.find(account); at != parents_.end() && !at->second.empty();
         at = parents_.find(names.back()))
      names.push_back(at->second);
    return names;
  }

  std::vector<Share> shares() const {
    std::map<std::pair<std::string, std::string>, Share> shares;
    for (const JobRecord& record : sources_.records.records) {
      const double seconds = held_s(record.run);
      const std::string account = account_of(record);
      if (seconds <= 0 || !is_wanted(account)) continue;
      Share& share = shares[{account, record.job.spec->user_name}];
      share.account = account;
      share.user = record.job.spec->user_name;
      add(share.used, held_by(record.run), seconds);
    }
    std::vector<Share> all;
    for (auto& [key, share] : shares) all.push_back(std::move(share));
    return all;
  }

  ReportRow row_of(ReportTres tres) const {
    ReportRow row;
    row["Cluster"] = sources_.records.cluster;
    row["TresName"] = std::string(name(tres));
    row["TresCount"] = amount_text(of(capacity_, tres), 0, {1, false, ""});
    return row;
  }

  // Adds a row to the report for each requested TRES that was used.
  void add_rows(std::vector<ReportRow>& rows, const Share& share,
                const std::string& account) const {
    for (const ReportTres tres : request_.tres) {
      if (of(share.used, tres) <= 0) continue;
      ReportRow row = row_of(tres);
      row["Accounts"] = account;
      row["Login"] = share.user;
      const auto proper = sources_.proper_names.find(share.user);
      if (proper != sources_.proper_names.end()) row["Proper"] = proper->second;
      row["Used"] = amount_text(of(share.used, tres), whole(tres), request_.unit);
      row["Energy"] = amount_text(0, 1, request_.unit);
      rows.push_back(std::move(row));
    }
  }

  std::vector<ReportRow> accounts_by_user() const;
  std::vector<ReportRow> users() const;
  std::vector<ReportRow> utilization() const;
  Amounts down() const;
  Amounts planned() const;
  std::vector<ReportRow> sizes();
  std::vector<std::string> size_accounts(const std::string& account) const;
  std::size_t group_of(std::int64_t cpus) const;

  const ReportRequest& request_;
  const ReportSources& sources_;
  std::vector<BillingWeight> weights_;
  Amounts capacity_{};
  std::map<std::string, std::string> parents_;  // of accounts
};

// Returns, for each account, a row with the use of the account and all accounts below it, followed
// by rows for its users.
std::vector<ReportRow> Reporting::accounts_by_user() const {
  std::map<std::string, Share> sums;
  std::map<std::string, std::vector<Share>> users;
  for (const Share& share : shares()) {
    users[share.account].push_back(share);
    for (const std::string& above : chain(share.account)) {
      sums[above].account = above;
      add(sums[above].used, share.used);
    }
  }
  std::vector<ReportRow> rows;
  const auto add_account = [&](const std::string& account, std::size_t depth) {
    const auto indented = [&](std::size_t more) {
      return std::string(request_.tree ? depth + more : 0, ' ') + account;
    };
    const auto sum = sums.find(account);
    if (sum == sums.end()) return;
    if (request_.users.empty() && is_wanted(account)) add_rows(rows, sum->second, indented(0));
    for (const Share& share : users[account]) add_rows(rows, share, indented(1));
    sums.erase(sum);
  };
  for (const AccountTreeEntry& entry : accounts_in_tree_order(sources_.associations))
    if (entry.view->association.is_account())
      add_account(entry.view->association.account, entry.depth);
  while (!sums.empty()) add_account(std::string(sums.begin()->first), 0);  // deleted accounts
  return rows;
}

std::vector<ReportRow> Reporting::users() const {
  std::vector<Share> all = shares();
  if (request_.group) {
    std::map<std::string, Share> grouped;
    for (const Share& share : all) {
      Share& sum = grouped[share.user];
      sum.user = share.user;
      sum.account += (sum.account.empty() ? "" : ",") + share.account;
      add(sum.used, share.used);
    }
    all.clear();
    for (auto& [user, share] : grouped) all.push_back(std::move(share));
  }
  const ReportTres first = request_.tres.front();
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [&](const Share& one) { return of(one.used, first); });
  if (request_.kind == ReportKind::TopUsage && all.size() > request_.top_count)
    all.resize(request_.top_count);
  std::vector<ReportRow> rows;
  for (const Share& share : all) add_rows(rows, share, share.account);
  return rows;
}

// Returns the TRES-seconds of nodes that are down or drained now, since that state began. Earlier
// times in such a state are not recorded and count as idle.
Amounts Reporting::down() const {
  Amounts sum{};
  for (const NodeView& view : sources_.nodes.nodes) {
    const Node& node = view.node;
    const bool is_down = !node.responding || node.set_down || (node.drained && view.jobs.empty());
    if (is_down) add(sum, capacity_of(view), overlap_s(node.changed, sources_.now, request_));
  }
  return sum;
}

// Returns the TRES-seconds for which eligible jobs waited. A job that has started counts with the
// TRES of its newest attempt, a pending job with the CPUs that it requests.
Amounts Reporting::planned() const {
  Amounts sum{};
  for (const JobRecord& record : sources_.records.records) {
    const Job& job = record.job;
    const bool waits = job.state == JobState::Pending;
    if (!record.newest || job.held || (waits && !job.dependencies.empty())) continue;
    Amounts wanted = held_by(record.run);
    if (waits)
      of(wanted, ReportTres::Cpu) =
          static_cast<double>(job.spec->tasks * job.spec->cpus_per_task * task_count(job));
    const Wall until = waits ? sources_.now : record.run.began;
    if (job.eligible != Wall{}) add(sum, wanted, overlap_s(job.eligible, until, request_));
  }
  return sum;
}

std::vector<ReportRow> Reporting::utilization() const {
  Amounts allocated{};
  for (const JobRecord& record : sources_.records.records)
    add(allocated, held_by(record.run), held_s(record.run));
  const Amounts downs = down();
  const Amounts plans = planned();
  std::vector<ReportRow> rows;
  for (const ReportTres tres : request_.tres) {
    if (tres == ReportTres::Node) continue;  // as in Slurm
    const double all = whole(tres);
    const double used = std::min(of(allocated, tres), all);
    const double lost = std::min(of(downs, tres), all - used);
    const double free = all - used - lost;
    const double plan = std::min(of(plans, tres), free);
    ReportRow row = row_of(tres);
    const auto show = [&](const char* column, double seconds) {
      row[column] = amount_text(seconds, all, request_.unit);
    };
    show("Allocated", used);
    show("Down", lost);
    show("PlannedDown", 0);
    show("Idle", free - plan);
    show("Planned", plan);
    show("OverCommitted", of(plans, tres) - plan);
    show("Reported", all);
    rows.push_back(std::move(row));
  }
  return rows;
}

// ---- sizes of jobs

std::size_t Reporting::group_of(std::int64_t cpus) const {
  const auto& sizes = request_.grouping;
  const auto above = std::ranges::upper_bound(sizes, cpus);
  if (!request_.individual) return static_cast<std::size_t>(above - sizes.begin());
  return static_cast<std::size_t>(std::ranges::lower_bound(sizes, cpus) - sizes.begin());
}

std::string Reporting::size_head(std::size_t group) const {
  const auto& sizes = request_.grouping;
  const std::string unit = request_.names_tres ? " TRES" : " CPUs";
  if (request_.individual) return std::to_string(sizes[group]) + unit;
  if (group == sizes.size()) return ">= " + std::to_string(sizes.empty() ? 0 : sizes.back()) + unit;
  return std::to_string(group == 0 ? 0 : sizes[group - 1]) + "-" +
         std::to_string(sizes[group] - 1) + unit;
}

// Returns the accounts of SizesByAccount under which a job of this account is counted.
std::vector<std::string> Reporting::size_accounts(const std::string& account) const {
  if (request_.flat) {
    if (is_wanted(account)) return {account};
    return {};
  }
  const auto above = chain(account);
  std::vector<std::string> tops = request_.accounts;
  if (tops.empty()) tops = {std::string(root_account)};
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (std::ranges::find(tops, above[i]) == tops.end()) continue;
    listed.push_back(request_.as_parent && i > 0 ? above[i - 1] : above[i]);
  }
  // A deleted account has no known parents and so no path to the root account; the job counts under
  // it.
  if (listed.empty() && request_.accounts.empty()) listed.push_back(above.back());
  return listed;
}

std::vector<ReportRow> Reporting::sizes() {
  struct Sizes {
    std::map<std::size_t, double> used;
    double all = 0;
  };
  std::map<std::string, Sizes> accounts;
  double whole_sum = 0;
  std::set<JobId> counted;
  for (const JobRecord& record : sources_.records.records) {
    const double seconds = held_s(record.run);
    if (seconds <= 0) continue;
    const bool again = !counted.insert(record.job.id).second;
    double amount = of(held_by(record.run), request_.tres.front()) * seconds;
    if (request_.counts_jobs) amount = again ? 0 : 1;
    whole_sum += amount;
    for (const std::string& account : size_accounts(account_of(record))) {
      Sizes& sum = accounts[account];
      sum.used[group_of(record.run.cpus)] += amount;
      sum.all += amount;
    }
  }
  const std::size_t groups = request_.grouping.size() + (request_.individual ? 0 : 1);
  std::vector<ReportRow> rows;
  for (auto& [account, sum] : accounts) {
    ReportRow row = row_of(request_.tres.front());
    row["Accounts"] = account;
    const ReportUnit unit = request_.counts_jobs ? ReportUnit{1, false, ""} : request_.unit;
    for (std::size_t group = 0; group < groups; ++group)
      row[size_head(group)] = amount_text(sum.used[group], sum.all, unit);
    row["Total Count"] = amount_text(sum.all, sum.all, unit);
    row["% of cluster"] = amount_text(sum.all, whole_sum, {0, true, ""});
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> Reporting::size_heads() {
  const std::size_t groups = request_.grouping.size() + (request_.individual ? 0 : 1);
  std::vector<std::string> heads;
  for (std::size_t group = 0; group < groups; ++group) heads.push_back(size_head(group));
  heads.emplace_back("Total Count");
  heads.emplace_back("% of cluster");
  return heads;
}

std::string default_format(const ReportRequest& request) {
  const std::string used = request.names_tres ? "TresName,Used" : "Used,Energy";
  switch (request.kind) {
    case ReportKind::Utilization:
      return std::string("Cluster,") + (request.names_tres ? "TresName," : "") +
             "Allocated,Down,PlannedDown,Idle,Planned,Reported";
    case ReportKind::AccountByUser: return "Cluster,Accounts,Login,Proper," + used;
    case ReportKind::UserByAccount:
    case ReportKind::TopUsage: return "Cluster,Login,Proper,Accounts," + used;
    case ReportKind::SizesByAccount: return "Cluster,Accounts%9";
  }
  return "";
}

std::string head_of(const ReportRequest& request, const Screen& screen) {
  const std::string rule = std::string(80, '-') + "\n";
  const auto moment = [&](Wall at) { return record_moment(at, screen, "Unknown"); };
  const std::string span =
      moment(request.start) + " - " + moment(request.end - Milliseconds{1'000});
  const std::string seconds =
      " (" + std::to_string((request.end - request.start).count() / 1000) + " secs)";
  const std::string kind = request.names_tres ? "TRES " : "CPU ";
  const bool only_percent = request.unit.seconds == 0;
  std::string reported =
      "Usage reported in " + (only_percent ? "" : kind) + request.unit.text + "\n";
  std::string title;
  switch (request.kind) {
    case ReportKind::Utilization: title = "Cluster Utilization " + span; break;
    case ReportKind::AccountByUser:
      title = "Cluster/Account/User Utilization " + span + seconds;
      break;
    case ReportKind::UserByAccount:
      title = "Cluster/User/Account Utilization " + span + seconds;
      break;
    case ReportKind::TopUsage:
      title = "Top " + std::to_string(request.top_count) + " Users " + span + seconds;
      break;
    case ReportKind::SizesByAccount:
      title = "Job Sizes " + span + seconds;
      reported = request.counts_jobs ? "Units are in number of jobs ran\n"
                                     : "Time reported in " + request.unit.text + "\n";
      if (request.names_tres)
        reported = "TRES type is " + std::string(name(request.tres.front())) + "\n" + reported;
      break;
  }
  return rule + title + "\n" + reported + rule;
}

// Returns each number of CPUs that a job in the records has, for grouping=individual.
std::vector<std::int64_t> sizes_in(const AccountingPage& page) {
  std::set<std::int64_t> sizes;
  for (const JobRecord& record : page.records)
    if (record.run.number.value > 0) sizes.insert(record.run.cpus);
  return {sizes.begin(), sizes.end()};
}

}  // namespace

Shown show_report(const ReportRequest& asked, const ReportSources& sources,
                  const SreportOptions& options, const Screen& screen) {
  ReportRequest request = asked;
  if (request.individual) request.grouping = sizes_in(sources.records);
  // The report begins no earlier than the cluster's first record, as in Slurm.
  request.start = std::max(request.start, std::min(sources.records.first_moment, request.end));
  auto columns =
      report_columns(request.format.empty() ? default_format(request) : request.format, request);
  if (!columns)
    return {"",
            " " + columns.refusal().fact + "\n" +
                (columns.refusal().hint.empty() ? "" : " " + columns.refusal().hint + "\n"),
            exit_refused};
  Reporting reporting(request, sources);
  const auto rows = reporting.rows();
  constexpr int group_width = 13;
  if (request.kind == ReportKind::SizesByAccount)
    for (const std::string& head : reporting.size_heads())
      columns->push_back({head, head, std::max(group_width, static_cast<int>(head.size()))});
  // The column "Used" is as wide as its longest number, unless a format is given, as in Slurm.
  for (ReportColumn& column : *columns)
    for (const ReportRow& row : rows)
      if (const auto used = row.find("Used");
          column.name == "Used" && request.format.empty() && used != row.end())
        column.width = std::max(column.width, static_cast<int>(used->second.size()));
  const AccountingLayout layout = options.parsable2  ? AccountingLayout::Parsable2
                                  : options.parsable ? AccountingLayout::Parsable
                                                     : AccountingLayout::Columns;
  const std::string head = options.no_header ? "" : head_of(asked, screen);
  return {head + report_table(*columns, rows, layout, !options.no_header), "", exit_ok};
}

}  // namespace cox
