// Parses the texts of a JobSpec. No other code parses them; it uses the result.
#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/job/job.h"
#include "common/syntax/partition_list.h"

namespace cox {
namespace {

// No limit here: the parser of the option has one.
constexpr std::size_t any_length = limits::frame_bytes_max;

// Parses the text of one option into `into`. If the text is too long or invalid, it is added to
// `terms.unreadable` instead.
template <class Term, class Parse>
void read(std::string_view option, const std::string& text, std::size_t bytes_max, Parse parse,
          Term& into, SizeTerms& terms) {
  if (text.empty()) return;
  if (text.size() > bytes_max) {
    terms.unreadable.push_back(
        {option, Refusal{std::string(option) + " has " + std::to_string(text.size()) +
                             " bytes; the limit is " + std::to_string(bytes_max),
                         "make it shorter"}});
    return;
  }
  auto parsed = parse(text);
  if (parsed) {
    into = *std::move(parsed);
  } else {
    terms.unreadable.push_back({option, Refusal{std::string(option) + ": " + parsed.refusal().fact,
                                                parsed.refusal().hint}});
  }
}

Result<std::vector<std::string>> parse_partitions(std::string_view text) {
  const auto names = partition_names(text);
  return std::vector<std::string>(names.begin(), names.end());
}

void read_size(const JobSize& size, SizeTerms& terms) {
  constexpr std::size_t most = limits::wish_bytes_max;
  read("--partition", size.partition, limits::word_bytes_max, parse_partitions, terms.partitions,
       terms);
  read("--gres", size.gres, most, parse_gres, terms.gres, terms);
  read("--gpu-type", size.gpu_type, most, parse_gpu_types, terms.gpu_types, terms);
  read("--gpu-choice", size.gpu_choice, most, parse_preference, terms.gpu_choice, terms);
  read("--constraint", size.constraint, most, parse_constraint, terms.constraint, terms);
  read("--prefer", size.prefer, most, parse_constraint, terms.prefer, terms);
}

bool has_texts(const JobSize& size) {
  return !(size.partition.empty() && size.gres.empty() && size.gpu_type.empty() &&
           size.gpu_choice.empty() && size.constraint.empty() && size.prefer.empty());
}

bool has_texts(const JobSpec& spec) {
  const JobSize& first = spec;
  const bool has_own =
      !(spec.licences.empty() && spec.node_sizes.empty() && spec.switches.empty() &&
        spec.topology.empty() && spec.dependency.empty() && spec.array.empty());
  return has_own || has_texts(first) || !spec.components.empty();
}

}  // namespace

Failure unreadable(const SizeTerms& terms, std::string_view option) {
  const auto found = std::ranges::find(terms.unreadable, option, &UnreadableText::option);
  if (found == terms.unreadable.end()) return std::nullopt;
  return found->why;
}

JobTerms parse_terms(const JobSpec& spec) {
  constexpr std::size_t most = limits::wish_bytes_max;
  JobTerms terms;
  read_size(spec, terms);
  read("--licenses", spec.licences, most, parse_licences, terms.licences, terms);
  read("--nodes", spec.node_sizes, most, parse_node_range, terms.node_range, terms);
  read("--switches", spec.switches, most, parse_switches, terms.switches, terms);
  read("--topology", spec.topology, most, parse_topology_wish, terms.topology, terms);
  // An older program may have stored a dependency that cannot be parsed. Its "?" is respected
  // nevertheless.
  terms.dependency.any = spec.dependency.find('?') != std::string::npos;
  read("--dependency", spec.dependency, any_length, parse_dependency, terms.dependency, terms);
  read("--array", spec.array, any_length, parse_array, terms.array, terms);
  for (const JobSize& component : spec.components)
    read_size(component, terms.components.emplace_back());
  return terms;
}

ParsedSpec::ParsedSpec(JobSpec spec) : JobSpec(std::move(spec)) {
  parse();
}

ParsedSpec::ParsedSpec(JobSpec spec, Shared<JobTerms> its)
    : JobSpec(std::move(spec)), terms(std::move(its)) {}

void ParsedSpec::parse() {
  terms = has_texts(*this) ? Shared<JobTerms>(parse_terms(*this)) : Shared<JobTerms>();
}

}  // namespace cox
