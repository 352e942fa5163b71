// What Slurm's JSON is made of, in the shape of 23.11's data parser v0.0.40. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/time.h"

namespace cox::slurm_json {

using Json = nlohmann::ordered_json;

// As the data parser writes every number that may not be known.
Json known(std::int64_t value);
Json unset();
Json infinite();
Json set_if(bool set, std::int64_t value);
Json moment(Wall t);
Json minutes(std::int64_t seconds);  // rounded up; 0: no limit
Json words(const std::vector<std::string>& all);

// The whole of an answer: what is told, and by whom. `command`: its words.
std::string document(const std::vector<std::string>& command, const char* name, Json content,
                     const std::string& cluster, Wall now);

}  // namespace cox::slurm_json
