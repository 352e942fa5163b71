// The suite StoreSuite: each of its tests runs over the store on PostgreSQL and over the store in
// memory, so that both behave alike.
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
