// What holds for PostgreSQL holds for the store in memory: tests of this suite run over both.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/store/store_bench.h"

namespace cox::test {

struct Kind {
  const char* name;
  std::unique_ptr<Database> (*make)();
};

class StoreSuite : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<Database> database = GetParam().make();
};

}  // namespace cox::test
