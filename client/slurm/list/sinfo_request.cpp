#include "client/slurm/list/sinfo_request.h"

#include <algorithm>
#include <array>

#include "client/slurm/list/squeue_request.h"
#include "client/text/node_state.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"

namespace cox {
namespace {

constexpr const char* sinfo_usage =
    "Usage: sinfo [-abdelNRrsTv] [-i seconds] [-t states] [-p partition] [-n nodes]\n"
    "             [-S fields] [-o format] [-O Format] [--federation] [--local]\n";

constexpr const char* valid_node_states =
    "unknown,down,idle,allocated,mixed,future,drain,drained,draining,no_respond,reserved,perfctrs,"
    "cloud,completing,planned,powering_down,powered_down,power_down,powering_up,fail,maint,reboot";

struct SinfoReader {
  const Surroundings& around_;
  SinfoRequest request_{};
  bool format_given_ = false;
  bool all_given_ = false;
  bool partition_given_ = false;
  std::optional<Shown> wrong_{};

  std::variant<SinfoRequest, Shown> read(const std::vector<std::string>& words);

  std::string variable(std::string_view name) const {
    return variable_value(around_.environment, name);
  }
  void refuse(const std::string& fact) { wrong_ = slurm_error("sinfo", fact); }

  void take_variables() {
    request_.partitions = list_words(variable("SINFO_PARTITION"));
    request_.sort = variable("SINFO_SORT");
    request_.clusters = list_words(variable("SLURM_CLUSTERS"));
    request_.time_style = variable("SLURM_TIME_FORMAT");
    if (has_variable(around_.environment, "SINFO_ALL") && !request_.partitions.empty())
      refuse(
          "Conflicting options, SINFO_ALL and SINFO_PARTITION, specified. Please choose one or "
          "the other.");
  }

  void take_json(const std::string& parser) {
    request_.json = true;
    if (auto wrong = refuse_other_parsers("sinfo", parser)) wrong_ = *wrong;
  }

  void take_all(const std::string&) {
    all_given_ = true;
    if (!partition_given_) request_.partitions.clear();  // those of SINFO_PARTITION
  }

  void take_partitions(const std::string& value) {
    partition_given_ = true;
    request_.partitions = list_words(value);
  }

  template <bool by_names>
  void take_format(const std::string& value) {
    request_.format = value;
    request_.by_names = by_names;
    format_given_ = true;
  }

  void take_interval(const std::string& value) {
    const auto seconds = parse_count(value, 1, 1'000'000'000);
    if (!seconds) return refuse("Error: invalid entry for --iterate=" + value);
    request_.every_s = *seconds;
  }

  void take_nodes(const std::string& value) {
    auto names = expand_hostlist(value);
    if (!names) return refuse("'" + value + "' invalid entry for --nodes");
    request_.nodes = *names;
  }

  void take_states(const std::string& value) {
    request_.states.clear();
    if (same_field_name(value, "all")) return;
    request_.states = list_words(value);
    for (const std::string& word : request_.states)
      for (const std::string_view each : split(word, '&'))
        if (!is_in_state({}, each)) {
          wrong_ = slurm_error("sinfo", "Bad state string: \"" + std::string(each) + "\"");
          wrong_->err += std::string("sinfo: error: valid states: ") + valid_node_states + "\n";
          return;
        }
  }

  void resolve_format() {
    SinfoRequest& r = request_;
    if (format_given_) {
      if (r.by_names && same_field_name(r.format, "All")) {
        r.by_names = false;
        r.format = "%all";
      }
      return;
    }
    r.widens = true;
    if (r.summarize) {
      r.format = "%9P %.5a %.10l %.16F %N";
    } else if (r.by_node) {
      r.format = r.long_list ? "%9N %.6D %.9P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E"
                             : "%9N %.6D %.9P %6t";
    } else if (r.reasons) {
      r.format = r.long_list ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
    } else if (!variable("SINFO_FORMAT").empty()) {
      r.format = variable("SINFO_FORMAT");
      r.widens = false;
    } else {
      r.format = r.long_list ? "%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N"
                             : "%9P %.5a %.10l %.6D %.6t %N";
    }
  }
};

constexpr auto in_sinfo = &SinfoReader::request_;

// clang-format off
constexpr OptionRow<SinfoReader> sinfo_table[] = {
  {"all", 'a', Takes::Nothing, "", "all partitions: none are hidden", "SINFO_ALL",
   calls<&SinfoReader::take_all>},
  {"clusters", 'M', Takes::Value, "LIST", "this cluster's name, or all", "SLURM_CLUSTERS",
   words_into<in_sinfo, &SinfoRequest::clusters>},
  {"cluster", 0, Takes::Value, "", "", "", words_into<in_sinfo, &SinfoRequest::clusters>},
  {"config", 0, Takes::Value, "FILE", "the cluster's coxswain.toml", "",
   into<in_sinfo, &SinfoRequest::config>},
  {"dead", 'd', Takes::Nothing, "", "only nodes that do not respond", "",
   into<in_sinfo, &SinfoRequest::dead>},
  {"exact", 'e', Takes::Nothing, "", "nodes of different sizes on separate rows", "",
   into<in_sinfo, &SinfoRequest::exact>},
  {"federation", 0, Takes::Nothing, "", "accepted: there is no federation", "SINFO_FEDERATION",
   ignore_option},
  {"format", 'o', Takes::Value, "FORMAT", "columns by letters: \"%P %.5a %D\"", "SINFO_FORMAT",
   calls<&SinfoReader::take_format<false>>},
  {"Format", 'O', Takes::Value, "FORMAT", "columns by names: \"NodeList:30,StateLong\"", "",
   calls<&SinfoReader::take_format<true>>},
  {"future", 'F', Takes::Nothing, "", "accepted: there are no future nodes", "", ignore_option},
  {"help", 0, Takes::Nothing, "", "this text"},
  {"hide", 0, Takes::Nothing, "", "accepted: there are no hidden partitions", "", ignore_option},
  {"iterate", 'i', Takes::Value, "SECONDS", "repeat at this interval", "",
   calls<&SinfoReader::take_interval>},
  {"json", 0, Takes::ValueAttached, "PARSER", "the rows as Slurm's JSON", "",
   calls<&SinfoReader::take_json>},
  {"list-reasons", 'R', Takes::Nothing, "", "why nodes are down or drained", "",
   into<in_sinfo, &SinfoRequest::reasons>},
  {"local", 0, Takes::Nothing, "", "accepted: there is no federation", "SINFO_LOCAL",
   ignore_option},
  {"long", 'l', Takes::Nothing, "", "more columns", "", into<in_sinfo, &SinfoRequest::long_list>},
  {"nodes", 'n', Takes::Value, "LIST", "only these nodes", "", calls<&SinfoReader::take_nodes>},
  {"noconvert", 0, Takes::Nothing, "", "accepted: sizes are in MB", "",
   not_into<in_sinfo, &SinfoRequest::convert_units>},
  {"noheader", 'h', Takes::Nothing, "", "no header", "", into<in_sinfo, &SinfoRequest::no_header>},
  {"Node", 'N', Takes::Nothing, "", "a row for each node and partition", "",
   into<in_sinfo, &SinfoRequest::by_node>},
  {"partition", 'p', Takes::Value, "LIST", "only these partitions", "SINFO_PARTITION",
   calls<&SinfoReader::take_partitions>},
  {"responding", 'r', Takes::Nothing, "", "only nodes that respond", "",
   into<in_sinfo, &SinfoRequest::responding>},
  {"reservation", 'T', Takes::Nothing, "", "the advance reservations", "",
   into<in_sinfo, &SinfoRequest::reservations>},
  {"sort", 'S', Takes::Value, "LIST", "sort by these letters of -o; -X: descending",
   "SINFO_SORT", into<in_sinfo, &SinfoRequest::sort>},
  {"states", 't', Takes::Value, "LIST", "only nodes in these states; a&b: in both", "",
   calls<&SinfoReader::take_states>},
  {"summarize", 's', Takes::Nothing, "", "a row for each partition", "",
   into<in_sinfo, &SinfoRequest::summarize>},
  {"usage", 0, Takes::Nothing, "", "a short usage message"},
  {"verbose", 'v', Takes::Nothing, "", "print the options in effect first", "",
   into<in_sinfo, &SinfoRequest::verbose>},
  {"version", 'V', Takes::Nothing, "", "the version"},
  {"yaml", 0, Takes::ValueAttached, "PARSER", "the same as --json, which is YAML too", "",
   calls<&SinfoReader::take_json>},
};
// clang-format on

std::variant<SinfoRequest, Shown> SinfoReader::read(const std::vector<std::string>& words) {
  take_variables();
  const auto read =
      read_option_words<SinfoReader>({"sinfo", sinfo_usage}, sinfo_table, words, *this);
  if (const auto* shown = std::get_if<Shown>(&read)) return *shown;
  // Operands are ignored here, as in Slurm's sinfo.
  if (all_given_ && partition_given_)
    refuse("Conflicting options, -a and -p, specified. Please choose one or the other.");
  if (wrong_) return *wrong_;
  resolve_format();
  if (request_.reasons && request_.states.empty()) request_.states = {"down", "fail", "drain"};
  return std::move(request_);
}

}  // namespace

std::vector<OptionForm> sinfo_options() {
  return forms_of<SinfoReader>(sinfo_table);
}

std::variant<SinfoRequest, Shown> read_sinfo_request(const std::vector<std::string>& words,
                                                     const Surroundings& around) {
  return SinfoReader{around}.read(words);
}

std::string asked_text(const SinfoRequest& r) {
  const auto words = [](const std::vector<std::string>& each) {
    return each.empty() ? "n/a" : printable(joined(each, ","));
  };
  return asked_lines({{"dead", asked_flag(r.dead)},
                      {"exact", r.exact ? "1" : "0"},
                      {"format", printable(r.format)},
                      {"iterate", std::to_string(r.every_s)},
                      {"long", asked_flag(r.long_list)},
                      {"no_header", asked_flag(r.no_header)},
                      {"node_format", asked_flag(r.by_node)},
                      {"nodes", words(r.nodes)},
                      {"partition", words(r.partitions)},
                      {"responding", asked_flag(r.responding)},
                      {"states", r.states.empty() ? "(null)" : words(r.states)},
                      {"sort", r.sort.empty() ? "(null)" : printable(r.sort)},
                      {"summarize", asked_flag(r.summarize)},
                      {"verbose", std::to_string(r.verbose)}});
}

}  // namespace cox
