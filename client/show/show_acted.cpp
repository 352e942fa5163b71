#include "client/show/show_acted.h"

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "common/base/text.h"

namespace cox {

Shown show_acted(const Acted& acted, const Screen& screen) {
  Shown shown;
  for (const auto& outcome : acted.outcomes) {
    if (outcome.refused) {
      const bool named = outcome.refused->fact.find(outcome.what) != std::string::npos;
      const std::string before = named ? "" : outcome.what + ": ";
      shown.err += refusal_text(
          {localised_text(before + outcome.refused->fact, screen), outcome.refused->hint});
      shown.exit_code = exit_refused;
    } else {
      shown.out += printable(outcome.what) + ": " + localised_text(outcome.done, screen) + "\n";
    }
  }
  return shown;
}

}  // namespace cox
