// Checks tables of texts that a parser must refuse, each with a part of the refusal's fact.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace cox {

// Refused text, part of the refusal's fact.
using RefusalTable = std::vector<std::pair<std::string, std::string>>;

// Checks that `parse` refuses each text with a fact that contains the given part, and with a hint.
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
