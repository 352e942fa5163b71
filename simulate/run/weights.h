// Parses the option --weights of cox simulate. Pure.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/cluster/scheduling_settings.h"
#include "schedule/queue/lifetimes.h"

namespace cox::simulate {

// Sets the weights in a text like "age=0,fair_share=10000" (of the order multifactor) or
// "preempt_below=0.5" (of gittins). Other weights keep their values.
Failure set_weights(PriorityWeights& weights, schedule::LifetimeWeights& lifetimes,
                    const std::string& text);

}  // namespace cox::simulate
