#include "common/job/output_path.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace cox {

namespace {

constexpr std::size_t pad_digits_max = 10;  // as in Slurm

std::string padded(std::int64_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return text;
}

std::optional<std::string> filled(char letter, std::size_t digits, const JobSpec& spec,
                                  const OutputPlace& place) {
  // The ranks of a gang count as the tasks of step 0.
  const bool batch = spec.form == JobForm::Batch && place.step < 0;
  const std::int32_t number = std::max(place.step, 0);
  const std::string job = padded(place.key.job.value, digits);
  const bool is_task = place.array_task >= 0;
  switch (letter) {
    case '%': return "%";
    case 'j': return job;
    case 'A': return is_task ? padded(place.array_job.value, digits) : job;
    case 'a':
      return is_task ? padded(place.array_task, digits)
                     : "4294967294";  // what Slurm writes for %a if the job is in no array
    case 'J': return batch ? job : job + "." + std::to_string(number);
    case 's': return batch ? "batch" : padded(number, digits);
    case 't': return padded(place.rank, digits);
    case 'n': return padded(place.node_index, digits);
    case 'N': return place.node.substr(0, place.node.find('.'));
    case 'u': return spec.user_name;
    case 'x': return spec.name;
    default: return std::nullopt;
  }
}

std::string absolute(const std::string& path, const JobSpec& spec) {
  if (path.starts_with('/')) return path;
  return spec.work_dir + (spec.work_dir.ends_with('/') ? "" : "/") + path;
}

}  // namespace

std::string fill_pattern(const std::string& pattern, const JobSpec& spec,
                         const OutputPlace& place) {
  std::string text;
  if (pattern.find('\\') != std::string::npos) {
    std::copy_if(pattern.begin(), pattern.end(), std::back_inserter(text),
                 [](char c) { return c != '\\'; });
    return text;
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    std::size_t letter = i + 1;
    std::size_t digits = 0;
    while (letter < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[letter]))) {
      digits =
          std::min(pad_digits_max, digits * 10 + static_cast<std::size_t>(pattern[letter] - '0'));
      ++letter;
    }
    const auto value = pattern[i] == '%' && letter < pattern.size()
                           ? filled(pattern[letter], digits, spec, place)
                           : std::nullopt;
    if (!value) {
      text += pattern[i];
      continue;
    }
    text += *value;
    i = letter;
  }
  return text;
}

std::string output_path(const JobSpec& spec, const OutputPlace& place) {
  const std::string job = place.array_task >= 0 ? "slurm-%A_%a" : "slurm-%j";
  const std::string form_default = job + (spec.form == JobForm::Batch ? ".out" : ".%t.out");
  const std::string& pattern = spec.output.empty() ? form_default : spec.output;
  return absolute(fill_pattern(pattern, spec, place), spec);
}

std::string error_path(const JobSpec& spec, const OutputPlace& place) {
  if (spec.error.empty()) return output_path(spec, place);
  return absolute(fill_pattern(spec.error, spec, place), spec);
}

std::string input_path(const JobSpec& spec, const OutputPlace& place) {
  if (spec.input.empty()) return "/dev/null";
  return absolute(fill_pattern(spec.input, spec, place), spec);
}

}  // namespace cox
