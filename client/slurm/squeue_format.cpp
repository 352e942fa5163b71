#include "client/slurm/squeue_format.h"

namespace cox {

SqueueWord take_squeue_word(const std::string& format, std::size_t& at) {
  constexpr std::size_t width_max = 1000;
  SqueueWord word;
  for (++at; at < format.size(); ++at) {
    if (format[at] == '.')
      word.to_right = true;
    else if (std::isdigit(static_cast<unsigned char>(format[at])) != 0)
      word.width =
          std::min(word.width * 10 + static_cast<std::size_t>(format[at] - '0'), width_max);
    else
      break;
  }
  if (at < format.size()) word.letter = format[at];
  return word;
}

std::string fitted(std::string text, const SqueueWord& word) {
  if (word.width == 0) return text;
  if (text.size() > word.width) text.resize(word.width);
  text.insert(word.to_right ? 0 : text.size(), word.width - text.size(), ' ');
  return text;
}

}  // namespace cox
