// Finds a command of cox or of Slurm by its name, for tests of commands.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "client/command.h"
#include "client/command_line.h"
#include "client/slurm/names.h"

namespace cox {

inline const Command& command_called(std::string_view name) {
  for (const auto* table : {&own_commands(), &slurm_commands()})
    for (const Command& each : *table)
      if (each.name == name) return each;
  ADD_FAILURE() << "no command " << name;
  return own_commands().front();
}

using LineWords = std::vector<std::string>;

// Returns the options of the command's line. A refusal fails the test.
inline std::unique_ptr<Options> parsed_line(std::string_view name, const LineWords& words) {
  Parsed result = parse_options(command_called(name), words);
  if (const auto* why = std::get_if<Refusal>(&result)) ADD_FAILURE() << name << ": " << why->fact;
  auto* options = std::get_if<std::unique_ptr<Options>>(&result);
  return options != nullptr ? std::move(*options) : command_called(name).line->make();
}

}  // namespace cox
