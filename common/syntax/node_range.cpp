#include "common/syntax/node_range.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Removes the suffix k or m from the end of `text` and returns its factor: 1024 or 1024 * 1024;
// without a suffix 1.
std::int64_t take_unit(std::string_view& text) {
  constexpr std::int64_t kilo = 1024;
  if (text.empty()) return 1;
  const int suffix = std::tolower(static_cast<unsigned char>(text.back()));
  if (suffix != 'k' && suffix != 'm') return 1;
  text.remove_suffix(1);
  return suffix == 'k' ? kilo : kilo * kilo;
}

bool is_positive_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos &&
         text.find_first_not_of('0') != std::string_view::npos;
}

// Parses "4", "2k" or "1m".
Result<std::int64_t> parse_nodes(std::string_view text) {
  std::string_view number = text;
  const std::int64_t unit = take_unit(number);
  const auto count = parse_count(number, 1, limits::nodes_per_job_max / unit);
  if (count) return *count * unit;
  const std::string most = std::to_string(limits::nodes_per_job_max);
  if (is_positive_number(number))
    return Refusal{quoted(text) + " is more than " + most + ", " + std::string(too_many_nodes),
                   "ask for fewer nodes"};
  return Refusal{
      "the number of nodes: " + quoted(text) + " is not a whole number from 1 to " + most,
      "write a number, a range or the accepted numbers, like 4, 4-16 or 4,8,16"};
}

// Parses a range such as "4-16"; as in Slurm, "-3" means "1-3".
Result<NodeRange> parse_range(std::string_view text, std::size_t dash) {
  const Result<std::int64_t> least = dash == 0 ? 1 : parse_nodes(text.substr(0, dash));
  if (!least) return least.refusal();
  const Result<std::int64_t> most = parse_nodes(text.substr(dash + 1));
  if (!most) return most.refusal();
  if (*most < *least)
    return Refusal{quoted(text) + " is a range of nodes that runs backwards",
                   "write the smaller number first"};
  return NodeRange{*least, *most, {}};
}

}  // namespace

bool NodeRange::allows(std::int64_t nodes) const {
  return nodes > 0 && largest_within(nodes) == nodes;
}

std::int64_t NodeRange::largest_within(std::int64_t nodes) const {
  if (nodes < least) return 0;
  if (sizes.empty()) return std::min(nodes, most);
  return *std::prev(std::upper_bound(sizes.begin(), sizes.end(), nodes));
}

Result<NodeRange> parse_node_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos && text.find(',') == std::string_view::npos)
    return parse_range(text, dash);
  std::vector<std::int64_t> sizes;
  for (const std::string_view part : split(text, ',')) {
    if (sizes.size() == limits::node_sizes_max)
      return Refusal{
          "it lists more than " + std::to_string(limits::node_sizes_max) + " numbers of nodes",
          "list fewer, or write a range like 4-16"};
    const Result<std::int64_t> size = parse_nodes(part);
    if (!size) return size.refusal();
    sizes.push_back(*size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  NodeRange range{sizes.front(), sizes.back(), {}};
  // A list of numbers without gaps gets no `sizes`, so that it equals the same range written with a
  // dash.
  if (range.most - range.least + 1 > static_cast<std::int64_t>(sizes.size()))
    range.sizes = std::move(sizes);
  return range;
}

std::string format_node_range(const NodeRange& range) {
  std::string text;
  for (const std::int64_t size : range.sizes)
    text += (text.empty() ? "" : ",") + std::to_string(size);
  if (!text.empty()) return text;
  text = std::to_string(range.least);
  return range.is_fixed() ? text : text + "-" + std::to_string(range.most);
}

}  // namespace cox
