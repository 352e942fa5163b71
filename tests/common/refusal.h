// For tables of texts that are refused: each with a part of the fact that must be told.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace cox {

using RefusalTable = std::vector<std::pair<std::string, std::string>>;  // text, part of the fact

// Each text is refused with its fact, and with a next step.
template <class Parse>
void expect_refusals(const RefusalTable& table, Parse parse) {
  for (const auto& [text, fact] : table) {
    const auto result = parse(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_NE(result.refusal().fact.find(fact), std::string::npos)
        << text << ": " << result.refusal().fact;
    EXPECT_FALSE(result.refusal().hint.empty()) << text;
  }
}

}  // namespace cox
