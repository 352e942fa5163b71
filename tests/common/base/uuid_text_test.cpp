#include "common/base/uuid_text.h"

#include <gtest/gtest.h>

#include <string>

namespace cox {
namespace {

TEST(UuidText, GivesBackEachTextUnchanged) {
  for (const std::string text :
       {"", "0123abcd-0000-0000-0000-000000000001", "00000000-0000-0000-ffff-ffffffffffff",
        "00000000-0000-0000-0000-000000000000", "0123ABCD-0000-0000-0000-000000000001",
        "0123abcd00000000000000000000000001", "-0123abcd0000-0000-0000-000000000001-",
        "0123abcd-0000-0000-0000-00000000000g", "any other text"}) {
    const UuidText uuid{text};
    EXPECT_EQ(uuid.text(), text);
    EXPECT_EQ(uuid, text);
    EXPECT_EQ(uuid.empty(), text.empty());
    EXPECT_EQ(uuid, UuidText(text));
  }
}

TEST(UuidText, DiffersIfTheTextsDiffer) {
  const UuidText uuid{"0123abcd-0000-0000-0000-000000000001"};
  EXPECT_NE(uuid, "0123abcd-0000-0000-0000-000000000002");
  EXPECT_NE(uuid, "0123ABCD-0000-0000-0000-000000000001");
  EXPECT_NE(uuid, "");
}

}  // namespace
}  // namespace cox
