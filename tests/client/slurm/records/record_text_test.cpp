// Tests how sacct shows amounts, durations and times, and which options it refuses.
#include "client/slurm/records/record_text.h"

#include "tests/client/sacct_story.h"

namespace cox::test {
namespace {

TEST(RecordText, ShowsAmountsInTheRequestedUnits) {
  const auto text = [](std::int64_t amount, char unit, char wanted, bool converts, bool exact) {
    RecordLayout layout;
    layout.unit = wanted;
    layout.converts = converts;
    layout.exact = exact;
    return amount_text(amount, unit, layout);
  };
  EXPECT_EQ(text(0, 'M', 'G', true, false), "0");
  EXPECT_EQ(text(1023, 0, 0, true, false), "1023");
  EXPECT_EQ(text(1024, 0, 0, true, false), "1K");
  EXPECT_EQ(text(1536, 'M', 0, true, false), "1.50G");
  EXPECT_EQ(text(1536, 'M', 0, true, true), "1.50G") << "half units are exact";
  EXPECT_EQ(text(1537, 'M', 0, true, true), "1537M");
  EXPECT_EQ(text(1537, 'M', 0, true, false), "1.50G");
  EXPECT_EQ(text(2048, 'M', 0, false, false), "2048M");
  EXPECT_EQ(text(2, 'G', 'M', true, false), "2048M");
  EXPECT_EQ(text(512, 'M', 'G', true, false), "0.50G");
  EXPECT_EQ(text(1024, 'P', 0, true, false), "1024P") << "there is no larger unit";
}

TEST(RecordText, ShowsDurationsAndTimes) {
  EXPECT_EQ(span_text(-5), "00:00:00");
  EXPECT_EQ(span_text(86'399), "23:59:59");
  EXPECT_EQ(span_text(86'400), "1-00:00:00");
  EXPECT_EQ(span_text(90'061), "1-01:01:01");
  EXPECT_EQ(cpu_text(3'599'999), "59:59.999");
  EXPECT_EQ(cpu_text(3'600'001), "01:00:00");
  EXPECT_EQ(cpu_text(61'000), "00:01:01");
  EXPECT_EQ(cpu_text(61'050), "01:01.050");
  const LocalTime here{at_s(0), {3600, {}}};
  const auto relative = [&](std::int64_t seconds) {
    return moment_text_as("relative", at_s(seconds), here);
  };
  constexpr std::int64_t day = 86'400;
  EXPECT_EQ(relative(-13 * 3600), "00:00:00") << "today began, in a zone one hour east";
  EXPECT_EQ(relative(-13 * 3600 - 1), "Ystday 23:59");
  EXPECT_EQ(relative(11 * 3600), "Tomorr 00:00");
  EXPECT_EQ(relative(11 * 3600 - 1), "23:59:59");
  EXPECT_EQ(relative(2 * day), "Tue 13:00");
  EXPECT_EQ(relative(6 * day), "Sat 13:00");
  EXPECT_EQ(relative(7 * day), "29 Nov 13:00");
  EXPECT_EQ(relative(-2 * day), "20 Nov 13:00");
  EXPECT_EQ(relative(400 * day), "27 Dec 2027");
  EXPECT_EQ(moment_text_as("relative", wall_from_ms(-1000), {wall_from_ms(1000), {}}),
            "Ystday 23:59");
  EXPECT_EQ(moment_text_as("%s %% %s%", at_s(0), here), "1795348800 % 1795348800%");
  EXPECT_EQ(moment_text_as("%z", at_s(0), here), "+0100");
  EXPECT_EQ(moment_text_as("standard", at_s(0), here), "2026-11-22T13:00:00");
  EXPECT_EQ(moment_text_as("", Wall{}, here), "Unknown");
}

TEST(RecordOptionsRead, RefuseInvalidValuesOfSacctOptions) {
  for (const auto& [words, fact] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"-i", "1-x"}, "invalid node range '1-x'; write it like 2 or 1-4"},
           {{"-I", "x"}, "invalid cpu range 'x'; write it like 2 or 1-4"},
           {{"-j", "1.2147483648"}, "Bad job/step specified: 1.2147483648"},
           {{"--units", ""}, "Invalid unit type; one of K, M, G, T, P"},
           {{"--units", "GM"}, "Invalid unit type; one of K, M, G, T, P"},
           {{"-B"}, "-B prints the script of one job"},
           {{"-B", "-j", "1,2"}, "-B prints the script of one job"},
           {{"-S", "12:30", "-E", "12:29"}, "Start time (-S) is after the end time (-E, or now)"},
           {{"-S", "18:00"}, "Start time (-S) is after the end time (-E, or now)"},
           {{"-S", "now+1days"}, "Start time (-S) is after the end time (-E, or now)"},
           {{"-S", "now+1days", "-E", "now+2days"},
            "Start time (-S) is after the end time (-E, or now)"},
           {{"-E", "never"}, "Invalid time specification: never"},
           {{"--yaml"}, "there is --json"},
           {{"-x", "3"}, "jobs are kept by account and user: use -A and -u"}})
    EXPECT_EQ(slurm_refusal("sacct", words), fact);
  EXPECT_EQ(slurm_refusal("sacct", {"-S", "12:30", "-E", "12:30"}), "");
  EXPECT_EQ(slurm_refusal("sacct", {"-j", "1.2147483647"}), "");
  EXPECT_EQ(slurm_refusal("sacct", {"-i", "4-4"}), "");
  EXPECT_EQ(slurm_options("sacct", {"-j", "'7_[1,3]','8'"}).jobs.size(), 2u);
  EXPECT_EQ(slurm_options("sacct", {"-j", "7.EXTERN"}).jobs[0].step, RecordSelector::external);
}

}  // namespace
}  // namespace cox::test
