// Runs squeue and sinfo on a command line with given answers, for tests of what they print.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/listing.h"
#include "common/base/moment_text.h"

namespace cox {

inline Surroundings a_desk(std::vector<std::string> environment = {}) {
  Surroundings around;
  around.environment = std::move(environment);
  around.user_name = "ada";
  around.host_name = "login";
  around.user_exists = [](const std::string& user) { return user != "nobodyx"; };
  return around;
}

struct Desk {
  ReadListing (*read)(const std::vector<std::string>& words, const Surroundings& around);
  std::vector<Answer> answers;
  std::vector<std::string> environment{};

  Shown shown(const std::vector<std::string>& words) const {
    auto listing = read(words, a_desk(environment));
    if (const auto* shown = std::get_if<Shown>(&listing)) return *shown;
    FieldView view;
    view.screen.now = *parse_moment("2026-11-22T12:32:03Z");
    view.group_name = [](std::uint32_t) { return "staff"; };
    std::vector<Answer> copies = answers;
    return std::get<Listing>(listing).show(copies, view);
  }
  std::string out(const std::vector<std::string>& words) const { return shown(words).out; }
  std::string err(const std::vector<std::string>& words) const { return shown(words).err; }
  Listing listing(const std::vector<std::string>& words) const {
    auto read_words = read(words, a_desk(environment));
    EXPECT_TRUE(std::holds_alternative<Listing>(read_words));
    return std::get<Listing>(std::move(read_words));
  }
};

}  // namespace cox
