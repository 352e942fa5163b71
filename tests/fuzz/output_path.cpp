// Names of output files: an absolute path, whatever the pattern, and not much longer than what
// stands for its letters.
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
  constexpr std::size_t letters_max = 16;  // of what stands for a letter
  for (const auto& path :
       {output_path(spec, place), error_path(spec, place), input_path(spec, place)}) {
    CHECK(path.starts_with('/'));
    CHECK(path.size() <= 64 + letters_max * input.size());
  }
}

}  // namespace cox
