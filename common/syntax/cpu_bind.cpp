#include "common/syntax/cpu_bind.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace cox {
namespace {

using Kind = CpuBind::Kind;
using Unit = CpuBind::Unit;

struct Word {
  std::string_view text;  // ends in a colon if a list follows the word
  Kind kind = Kind::Unasked;
  Unit unit = Unit::None;
};

constexpr std::array words = {
    Word{"none", Kind::None},
    Word{"no", Kind::None},
    Word{"rank", Kind::Rank},
    Word{"rank_ldom", Kind::LdomRank},
    Word{"map_cpu:", Kind::Map},
    Word{"mapcpu:", Kind::Map},
    Word{"mask_cpu:", Kind::Mask},
    Word{"maskcpu:", Kind::Mask},
    Word{"map_ldom:", Kind::LdomMap},
    Word{"mapldom:", Kind::LdomMap},
    Word{"mask_ldom:", Kind::LdomMask},
    Word{"maskldom:", Kind::LdomMask},
    Word{"threads", Kind::Units, Unit::Threads},
    Word{"thread", Kind::Units, Unit::Threads},
    Word{"cores", Kind::Units, Unit::Cores},
    Word{"core", Kind::Units, Unit::Cores},
    Word{"sockets", Kind::Units, Unit::Sockets},
    Word{"socket", Kind::Units, Unit::Sockets},
    Word{"ldoms", Kind::Units, Unit::Ldoms},
    Word{"ldom", Kind::Units, Unit::Ldoms},
};

const Word* find_word(std::string_view text) {
  for (const Word& word : words)
    if (word.text.ends_with(':') ? text.starts_with(word.text) : text == word.text) return &word;
  return nullptr;
}

std::string_view unit_name(Unit unit) {
  for (const Word& word : words)
    if (word.unit == unit && unit != Unit::None) return word.text;
  return "";
}

Result<std::vector<IdSet>> parse_list(Kind kind, std::string_view text) {
  const bool is_map = kind == Kind::Map || kind == Kind::LdomMap;
  return is_map ? parse_map(text) : parse_masks(text);
}

}  // namespace

Result<CpuBind> parse_cpu_bind(std::string_view text) {
  CpuBind bind;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::string all = lower_case(std::string(rest));
    const std::string word = lower_case(std::string(part));
    const Word* known = find_word(all.find(':') < word.size() ? all : word);
    if (known != nullptr && known->text.ends_with(':')) {
      auto list = parse_list(known->kind, rest.substr(known->text.size()));
      if (!list) return list.refusal();
      bind.kind = known->kind;
      bind.list = std::move(*list);
      return bind;
    }
    if (word == "verbose" || word == "v" || word == "quiet" || word == "q") {
      bind.verbose = word.starts_with('v');
    } else if (known != nullptr) {
      bind.kind = known->kind;
      if (known->unit != Unit::None) bind.unit = known->unit;
    } else {
      return Refusal{"unknown type of --cpu-bind: " + quoted(part),
                     "write none, threads, cores, sockets, ldoms, rank, map_cpu:LIST, "
                     "mask_cpu:LIST, rank_ldom, map_ldom:LIST or mask_ldom:LIST; quiet, or "
                     "verbose, may precede it"};
    }
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return bind;
}

std::string type_text(const CpuBind& bind) {
  std::string text(unit_name(bind.unit));
  if (bind.kind == Kind::Unasked || bind.kind == Kind::Units) return text;
  if (!text.empty()) text += ',';
  for (const Word& word : words)
    if (word.kind == bind.kind) return text + std::string(word.text);
  return text;
}

std::string list_text(const CpuBind& bind) {
  const bool is_map = bind.kind == Kind::Map || bind.kind == Kind::LdomMap;
  std::vector<std::string> parts;
  for (const IdSet& entry : bind.list)
    parts.push_back(is_map ? std::to_string(entry.front()) : mask_text(entry));
  return joined(parts, ",");
}

}  // namespace cox
