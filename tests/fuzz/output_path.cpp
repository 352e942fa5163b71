// Fuzz target for names of output files with patterns such as %j. Checks that the result is an
// absolute path whose length is bounded by the length of the replaced patterns.
#include "common/job/output_path.h"

#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(output_path) {
  JobSpec spec;
  spec.work_dir = "/w";
  spec.name = "training";
  spec.user_name = "ada";
  spec.output = input;
  spec.error = input;
  spec.input = input;
  const OutputPlace place{{JobId{17}, AttemptNumber{2}}, "n1.cluster", 1, 3, JobId{12}, 5, 7};
  constexpr std::size_t letters_max = 16;  // the most bytes that replace one pattern letter
  for (const auto& path :
       {output_path(spec, place), error_path(spec, place), input_path(spec, place)}) {
    CHECK(path.starts_with('/'));
    CHECK(path.size() <= 64 + letters_max * input.size());
  }
}

}  // namespace cox
