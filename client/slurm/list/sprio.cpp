#include "client/slurm/list/sprio.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "client/slurm/text/command_rows.h"
#include "client/slurm/text/json_document.h"
#include "client/slurm/text/option_words.h"
#include "client/text/table.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

Failure take_job_list(SprioOptions& options, std::string_view text) {
  for (const std::string_view word : split(text, ',')) {
    if (word.empty()) continue;
    const auto ref = parse_job_ref(word);
    if (!ref) return ref.refusal();
    options.ids.push_back(ref->id);
    options.tasks.push_back(ref->tasks);
  }
  if (options.ids.size() > limits::named_ids_max)
    return Refusal{"more than " + std::to_string(limits::named_ids_max) + " job ids", ""};
  return std::nullopt;
}

// clang-format off
constexpr OptionRow<SprioOptions> sprio_rows[] = {
  config_row<SprioOptions>,
  clusters_row<SprioOptions>("SLURM_CLUSTERS"),
  cluster_row<SprioOptions>,
  long_help_row<SprioOptions>,
  {"noheader", 'h', Takes::Nothing, "", "no header", "", into<&SprioOptions::no_header>},
  {"jobs", 'j', Takes::Value, "TEXT", "only these jobs", "", take_job_list},
  {"long", 'l', Takes::Nothing, "", "more columns", "", into<&SprioOptions::long_report>},
  {"norm", 'n', Takes::Nothing, "", "factors from 0 to 1, without their weights", "",
   into<&SprioOptions::normalised>},
  {"format", 'o', Takes::Value, "TEXT", "columns: %i %r %u %o %n %Y %y %a %A %b %B %f %F %j %J %p "
   "%P %q %Q %s %S %t %T %N %w", "SPRIO_FORMAT", set_by<set_only, &SprioOptions::format>},
  {"partition", 'p', Takes::Value, "TEXT", "only jobs in these partitions", "",
   list_into<&SprioOptions::partitions>},
  {"sort", 'S', Takes::Value, "TEXT", "sort by these columns, like u,-Y; default: by id", "",
   into<&SprioOptions::sort>},
  {"user", 'u', Takes::Value, "TEXT", "only jobs of these users", "",
   list_into<&SprioOptions::users>},
  {"weights", 'w', Takes::Nothing, "", "the weights of the factors instead of jobs", "",
   into<&SprioOptions::weights>},
  json_row<SprioOptions>("as JSON, in Slurm's shape"),
  yaml_row<SprioOptions>,
  {"local", 0, Takes::Nothing, "", "accepted: there is one cluster", "", ignore_option},
  {"verbose", 'v', Takes::Nothing, "", "print the options in effect first", "",
   into<&SprioOptions::verbose>},
  usage_row<SprioOptions>,
};
// clang-format on

// Returns the sum of the named factors of Coxswain, which one column of Slurm stands for. The
// column SITE is the sum of the site's own factor and of that for short jobs.
double sum_of(const std::vector<PriorityFactor>& factors,
              std::initializer_list<std::string_view> names) {
  double sum = 0;
  for (const PriorityFactor& one : factors)
    if (std::ranges::find(names, one.name) != names.end()) sum += one.value;
  return sum;
}

struct PriorityRow {
  const JobPriority* job = nullptr;  // null: the weights
  const std::vector<PriorityFactor>* weights = nullptr;
};

std::string whole(double points) {
  return std::to_string(std::llround(points));
}

std::string fraction(double part, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, part);
  return text.data();
}

using FactorNames = std::initializer_list<std::string_view>;

std::string weighted(const PriorityRow& row, FactorNames names) {
  return whole(sum_of(row.job == nullptr ? *row.weights : row.job->factors, names));
}

std::string normalised(const PriorityRow& row, FactorNames names) {
  constexpr int digits = 7;
  const double weight = sum_of(*row.weights, names);
  if (row.job == nullptr) return fraction(weight, digits);
  return fraction(weight == 0 ? 0 : sum_of(row.job->factors, names) / weight, digits);
}

std::string tres_text(const PriorityRow& row, bool normal) {
  std::string text;
  for (const auto& [name, slurms] : {std::pair{"CPUs", "cpu"}, {"GPUs", "gres/gpu"}}) {
    if (sum_of(*row.weights, {name}) == 0) continue;
    text += (text.empty() ? "" : ",") + std::string(slurms) + "=" +
            (normal ? normalised(row, {name}) : weighted(row, {name}));
  }
  return text;
}

// Returns the priority of a pending job, at least 1: in Slurm, 0 means held.
std::string priority_text(const PriorityRow& row) {
  return row.job == nullptr ? "" : whole(std::max(1.0, row.job->priority));
}

std::string normal_priority(const PriorityRow& row) {
  if (row.job == nullptr) return "";
  return fraction(std::max(1.0, row.job->priority) / 4294967295.0, 8);
}

// Returns the account; "(null)" for a job without one, as `scontrol show job` prints.
std::string account_text(const PriorityRow& row) {
  if (row.job == nullptr) return "";
  return row.job->account.empty() ? "(null)" : row.job->account;
}

struct PriorityColumn {
  char letter = 0;
  const char* head = "";
  std::string (*text)(const PriorityRow& row) = nullptr;
};

constexpr auto priority_columns = std::to_array<PriorityColumn>({
    {'i', "JOBID",
     [](const PriorityRow& r) { return r.job == nullptr ? "Weights" : r.job->job_name; }},
    {'r', "PARTITION",
     [](const PriorityRow& r) { return r.job == nullptr ? "" : r.job->partition; }},
    {'u', "USER", [](const PriorityRow& r) { return r.job == nullptr ? "" : r.job->user_name; }},
    {'o', "ACCOUNT", account_text},
    {'n', "QOSNAME", [](const PriorityRow& r) { return r.job == nullptr ? "" : r.job->qos; }},
    {'Y', "PRIORITY", priority_text},
    {'y', "PRIORITY", normal_priority},
    {'a', "AGE", [](const PriorityRow& r) { return normalised(r, {"age"}); }},
    {'A', "AGE", [](const PriorityRow& r) { return weighted(r, {"age"}); }},
    {'b', "ASSOC", [](const PriorityRow&) { return std::string("0.0000000"); }},
    {'B', "ASSOC", [](const PriorityRow&) { return std::string("0"); }},
    {'f', "FAIRSHARE", [](const PriorityRow& r) { return normalised(r, {"fair share"}); }},
    {'F', "FAIRSHARE", [](const PriorityRow& r) { return weighted(r, {"fair share"}); }},
    {'j', "JOBSIZE", [](const PriorityRow& r) { return normalised(r, {"size"}); }},
    {'J', "JOBSIZE", [](const PriorityRow& r) { return weighted(r, {"size"}); }},
    {'p', "PARTITION", [](const PriorityRow& r) { return normalised(r, {"partition"}); }},
    {'P', "PARTITION", [](const PriorityRow& r) { return weighted(r, {"partition"}); }},
    {'q', "QOS", [](const PriorityRow& r) { return normalised(r, {"QOS"}); }},
    {'Q', "QOS", [](const PriorityRow& r) { return weighted(r, {"QOS"}); }},
    {'s', "SITE",
     [](const PriorityRow& r) {
       return normalised(r, {"shortness", "site"});
     }},
    {'S', "SITE",
     [](const PriorityRow& r) {
       return weighted(r, {"shortness", "site"});
     }},
    {'t', "TRES", [](const PriorityRow& r) { return tres_text(r, true); }},
    {'T', "TRES", [](const PriorityRow& r) { return tres_text(r, false); }},
    {'N', "NICE",
     [](const PriorityRow& r) {
       return r.job == nullptr ? "" : whole(0.0 - sum_of(r.job->factors, {"nice"}));
     }},
    // Not in Slurm: after which wait the job goes first in its tier.
    {'w', "FIRST_AFTER",
     [](const PriorityRow& r) {
       const bool is_known = r.job != nullptr && r.job->first_after_s > 0;
       return is_known ? format_time_limit(r.job->first_after_s) : std::string();
     }},
});

// A part of a -o format: a column such as "%.15i", or a character between columns.
struct FormatPart {
  std::string text;
  const PriorityColumn* column = nullptr;
  bool to_right = false;
  std::size_t width = 0;
};

Result<std::vector<FormatPart>> parse_format(const std::string& format) {
  constexpr std::size_t width_max = 4096;
  std::vector<FormatPart> parts;
  for (std::size_t i = 0; i < format.size(); ++i) {
    FormatPart part;
    if (format[i] != '%') {
      part.text = format[i];
      parts.push_back(std::move(part));
      continue;
    }
    ++i;
    if (i < format.size() && format[i] == '.') part.to_right = true, ++i;
    const char* end = format.data() + format.size();
    i = static_cast<std::size_t>(std::from_chars(format.data() + i, end, part.width).ptr -
                                 format.data());
    part.width = std::min(part.width, width_max);
    const char letter = i < format.size() ? format[i] : ' ';
    part.column = nullptr;
    for (const PriorityColumn& each : priority_columns)
      if (each.letter == letter) part.column = &each;
    if (part.column == nullptr) {
      std::string known;
      for (const PriorityColumn& each : priority_columns)
        known += std::string(known.empty() ? "%" : " %") + each.letter;
      return Refusal{std::string("Invalid job format specification: ") + letter,
                     "valid are " + known};
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string fitted(std::string text, const FormatPart& part) {
  if (part.width == 0) return text;
  if (display_width(text) > part.width) return cut_text(text, part.width);
  const std::string blanks(part.width - display_width(text), ' ');
  return part.to_right ? blanks + text : text + blanks;
}

template <class TextOf>
std::string line_of(const std::vector<FormatPart>& parts, TextOf&& text_of) {
  std::string line;
  for (const FormatPart& part : parts)
    line += part.column == nullptr ? part.text : fitted(printable(text_of(*part.column)), part);
  return line + "\n";
}

// Returns the default format. As in Slurm, it has a column for each factor whose weight is not 0.
std::string default_format(const SprioOptions& options,
                           const std::vector<PriorityFactor>& weights) {
  const bool normal = options.normalised;
  std::string format = "%.15i %9r ";
  if (options.long_report || !options.users.empty()) format += "%.8u ";
  if (options.long_report) format += "%.8o ";
  format += normal ? "%.10y " : "%.10Y ";
  const auto add = [&](char letter, FactorNames names, bool always) {
    if (!always && !options.long_report && sum_of(weights, names) == 0) return;
    const char shown = normal ? static_cast<char>(std::tolower(letter)) : letter;
    format += std::string("%.10") + shown + " ";
  };
  add('S', {"shortness", "site"}, true);
  add('A', {"age"}, false);
  if (options.long_report) format += normal ? "%.10b " : "%.10B ";
  add('F', {"fair share"}, false);
  add('J', {"size"}, false);
  add('P', {"partition"}, false);
  if (options.long_report) format += "%.10n ";
  add('Q', {"QOS"}, false);
  if (options.long_report) format += "%.11N ";
  if (options.long_report || sum_of(weights, {"CPUs", "GPUs"}) != 0)
    format += normal ? "%.20t " : "%.20T ";
  format.pop_back();
  return format;
}

bool is_selected(const JobPriority& job, const SprioOptions& options) {
  const auto in = [](const std::vector<std::string>& wanted, const std::string& is) {
    return wanted.empty() || std::ranges::find(wanted, is) != wanted.end();
  };
  const auto names = split(job.partition, ',');
  const bool there =
      options.partitions.empty() || std::ranges::any_of(names, [&](std::string_view name) {
        return in(options.partitions, std::string(name));
      });
  return there && in(options.users, job.user_name);
}

// Sorts the rows by the columns in `by`, the letters of --sort, such as "u,-Y". Compares numbers by
// value.
std::vector<PriorityRow> sorted(std::vector<PriorityRow> rows, const std::string& by) {
  std::string order;
  for (std::size_t i = 0; i < by.size(); ++i)
    if (by[i] != ',' && by[i] != '+') order.insert(0, 1, by[i]);
  // `order` has the letters in reverse, each followed by its '-'. The stable sort by the most
  // important letter comes last.
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool down = i + 1 < order.size() && order[i + 1] == '-';
    const auto column = std::ranges::find(priority_columns, order[i], &PriorityColumn::letter);
    if (column == priority_columns.end()) continue;
    std::ranges::stable_sort(rows, [&](const PriorityRow& a, const PriorityRow& b) {
      const std::string left = column->text(down ? b : a), right = column->text(down ? a : b);
      const double left_number = std::atof(left.c_str()), right_number = std::atof(right.c_str());
      return left_number != right_number ? left_number < right_number : left < right;
    });
  }
  return rows;
}

}  // namespace

const CommandLineOf<SprioOptions> sprio_line = command_line_from<sprio_rows>();

Question ask_sprio(const SprioOptions& options) {
  ListPriorities list;
  list.ids = options.ids;
  list.tasks = options.tasks;
  return list;
}

namespace {

// Returns the factors of a job's priority as JSON, with Slurm's keys.
slurm_json::Json factors_json(const PriorityRow& row) {
  const auto points = [&](FactorNames names) {
    return sum_of(row.job == nullptr ? *row.weights : row.job->factors, names);
  };
  return {{"age", points({"age"})},       {"fairshare", points({"fair share"})},
          {"job_size", points({"size"})}, {"partition", points({"partition"})},
          {"qos", points({"QOS"})},       {"site", points({"shortness", "site"})},
          {"tres", tres_text(row, false)}};
}

std::string priorities_json(const std::vector<PriorityRow>& rows, bool weights, Wall now) {
  using namespace slurm_json;
  if (weights) return document({"sprio"}, "weights", factors_json(rows.front()), "", now);
  Json jobs = Json::array();
  for (const PriorityRow& row : rows)
    jobs.push_back({{"job_id", row.job->id.value},
                    {"job", row.job->job_name},
                    {"user_name", row.job->user_name},
                    {"account", row.job->account},
                    {"partition", row.job->partition},
                    {"qos", row.job->qos},
                    {"priority", std::max(1.0, row.job->priority)},
                    {"nice", 0.0 - sum_of(row.job->factors, {"nice"})},
                    {"factors", factors_json(row)}});
  return document({"sprio"}, "jobs", std::move(jobs), "", now);
}

// Returns what --verbose prints first: the options in effect.
std::string options_asked(const SprioOptions& options) {
  const auto text_of = [](const std::vector<std::string>& words) {
    return words.empty() ? "(null)" : printable(joined(words, ","));
  };
  std::vector<std::string> jobs;
  for (std::size_t i = 0; i < options.ids.size(); ++i) {
    const std::string& tasks = options.tasks[i];
    jobs.push_back(std::to_string(options.ids[i].value) + (tasks.empty() ? "" : "_" + tasks));
  }
  return asked_lines({{"format", text_of(options.format)},
                      {"job_flag", jobs.empty() ? "0" : "1"},
                      {"jobs", text_of(jobs)},
                      {"partition", text_of(options.partitions)},
                      {"users", text_of(options.users)},
                      {"verbose", "1"}});
}

}  // namespace

Shown show_sprio(const Answer& answer, const SprioOptions& options, const Screen& screen) {
  const auto* list = std::get_if<PriorityList>(&answer);
  if (list == nullptr) return {"", "sprio: error: Unexpected message\n", exit_refused};
  if (list->weights.empty())
    return {"",
            "You are not running a supported priority plugin\n(priority/basic).\n"
            "Only 'priority/multifactor' is supported.\n",
            exit_refused};
  const auto parts = parse_format(options.format.empty() ? default_format(options, list->weights)
                                                         : options.format.front());
  if (!parts)
    return {"", "sprio: error: " + parts.refusal().fact + "\n" + parts.refusal().hint + "\n",
            exit_refused};
  std::vector<PriorityRow> rows;
  if (options.weights) rows.push_back({nullptr, &list->weights});
  for (const JobPriority& job : list->jobs)
    if (!options.weights && is_selected(job, options)) rows.push_back({&job, &list->weights});
  Shown shown;
  if (options.json)
    return {priorities_json(sorted(std::move(rows), options.sort), options.weights, screen.now), "",
            exit_ok};
  if (options.verbose) shown.out = options_asked(options);
  if (!options.no_header)
    shown.out += line_of(*parts, [](const PriorityColumn& c) { return std::string(c.head); });
  for (const PriorityRow& row : sorted(std::move(rows), options.sort))
    shown.out += line_of(*parts, [&](const PriorityColumn& c) { return c.text(row); });
  if (!options.ids.empty() && list->jobs.empty())
    return {shown.out, "Unable to find jobs matching user/id(s) specified\n", exit_ok};
  return shown;
}

}  // namespace cox
