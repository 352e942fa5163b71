// Finds a command of cox or of Slurm by its name, for tests of commands.
#pragma once

#include <gtest/gtest.h>

#include "client/command.h"
#include "client/slurm/names.h"

namespace cox {

inline const Command& command_called(std::string_view name) {
  for (const auto* table : {&own_commands(), &slurm_commands()})
    for (const Command& each : *table)
      if (each.name == name) return each;
  ADD_FAILURE() << "no command " << name;
  return own_commands().front();
}

}  // namespace cox
