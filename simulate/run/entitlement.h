// What each account is entitled to of what is in use at one instant: level by level by shares among
// those that ask, to nobody more than it asks for; what one leaves is the others'. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/trace/accounts.h"

namespace cox::simulate {

// Of an owner and all below it, as usage counts it.
struct Asking {
  double held = 0;
  double wants = 0;  // with what it holds
  std::int64_t jobs_waiting = 0;
};

// Of each owner, of what the root holds. Who stands as its parent stands has one share there.
std::vector<double> entitled_to(const std::vector<Owner>& owners,
                                const std::vector<Asking>& asking);

}  // namespace cox::simulate
