// Tests how --cpu-bind and --gpu-bind are parsed.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/syntax/cpu_bind.h"
#include "common/syntax/gpu_bind.h"

namespace cox {
namespace {

TEST(CpuBind, IsParsedLikeInSlurm) {
  const struct {
    const char* text;
    bool verbose;
    const char* type;
    const char* list;
  } rows[] = {
      {"none", false, "none", ""},
      {"q", false, "", ""},
      {"verbose", true, "", ""},
      {"v,cores", true, "cores", ""},
      {"quiet,THREADS", false, "threads", ""},
      {"sockets,verbose", true, "sockets", ""},
      {"rank", false, "rank", ""},
      {"rank_ldom", false, "rank_ldom", ""},
      {"map_cpu:0,0x2,3*2", false, "map_cpu:", "0,2,3,3"},
      {"verbose,mask_cpu:0x3,C,ff00*2", true, "mask_cpu:", "0x3,0xc,0xff00,0xff00"},
      {"mask_cpu:100000000000000000", false, "mask_cpu:", "0x100000000000000000"},
      {"quiet,cores,mask_cpu:0x1,0x2", false, "cores,mask_cpu:", "0x1,0x2"},
      {"map_ldom:0,1", false, "map_ldom:", "0,1"},
      {"mask_ldom:0x3", false, "mask_ldom:", "0x3"},
  };
  for (const auto& row : rows) {
    const auto bind = parse_cpu_bind(row.text);
    ASSERT_TRUE(bind.ok()) << row.text << ": " << bind.refusal().fact;
    EXPECT_EQ(bind->verbose, row.verbose) << row.text;
    EXPECT_EQ(type_text(*bind), row.type) << row.text;
    EXPECT_EQ(list_text(*bind), row.list) << row.text;
  }
}

TEST(CpuBind, RefusesInvalidBindings) {
  for (const char* text : {"hyperthreads", "map_cpu:", "map_cpu:x", "mask_cpu:0x", "mask_cpu:0",
                           "map_cpu:0*0", "map_cpu:0,", "map_cpu:5000", "none:0", "mask_cpu:0xg"})
    EXPECT_FALSE(parse_cpu_bind(text).ok()) << text;
  EXPECT_EQ(parse_cpu_bind("hyperthreads").refusal().fact,
            "unknown type of --cpu-bind: \"hyperthreads\"");
}

TEST(CpuBind, NamesCpusUpTo1023) {
  const std::string digits(255, '0');
  const auto list_of = [](const std::string& text) {
    const auto bind = parse_cpu_bind(text);
    return bind ? list_text(*bind) : "refused";
  };
  EXPECT_EQ(list_of("map_cpu:1023,0x3ff,0X1f"), "1023,1023,31");
  EXPECT_EQ(list_of("mask_cpu:0x8" + digits), "0x8" + digits);
  EXPECT_EQ(list_of("mask_cpu:" + std::string(256, 'f')), "0x" + std::string(256, 'f'));
  EXPECT_EQ(list_of("mask_cpu:000" + digits + "5"), "0x5") << "leading zeros are ignored";
  for (const std::string& text :
       {std::string("map_cpu:1024"), std::string("map_cpu:0x400"), std::string("map_cpu:-1"),
        "mask_cpu:0x10" + digits, "mask_cpu:" + std::string(257, 'f')})
    EXPECT_EQ(list_of(text), "refused") << text;
}

TEST(CpuBind, RepeatsAnEntryForManyTasks) {
  const auto entries_of = [](const std::string& text) -> std::int64_t {
    const auto bind = parse_cpu_bind(text);
    return bind ? std::ranges::count(list_text(*bind), ',') + 1 : -1;
  };
  EXPECT_EQ(entries_of("map_cpu:0*4096"), 4'096);
  EXPECT_EQ(entries_of("map_cpu:0*4097"), -1);
  EXPECT_EQ(entries_of("map_cpu:0*4096,1*4096"), 8'192);
  EXPECT_EQ(entries_of("map_cpu:0*4096,1*4096,2"), -1);
}

std::string gpus_text(const char* text, std::size_t tasks, std::size_t gpus, bool close = true) {
  const auto bind = parse_gpu_bind(text);
  if (!bind) return "not read";
  const auto all = gpus_of_tasks(*bind, tasks, gpus, close);
  if (!all) return all.refusal().fact;
  std::string shown;
  for (const IdSet& one : *all) shown += (shown.empty() ? "" : " ") + mask_text(one);
  return shown;
}

TEST(GpuBind, GivesEachTaskItsGpus) {
  EXPECT_EQ(gpus_text("none", 2, 4), "0xf 0xf");
  EXPECT_EQ(gpus_text("closest", 2, 4), "0xf 0xf");
  EXPECT_EQ(gpus_text("single:1", 5, 4), "0x1 0x2 0x4 0x8 0x1");
  EXPECT_EQ(gpus_text("verbose,single:2", 4, 4), "0x1 0x1 0x2 0x2");
  EXPECT_EQ(gpus_text("map_gpu:3,1*2", 4, 4), "0x8 0x2 0x2 0x8");
  EXPECT_EQ(gpus_text("v,mask_gpu:0x3,c", 2, 4), "0x3 0xc");
  EXPECT_EQ(gpus_text("per_task:2", 2, 4), "0x3 0xc");
  EXPECT_EQ(gpus_text("gpu:closest", 1, 0), "0x0");
}

TEST(GpuBind, RefusesGpusThatTheStepDoesNotHave) {
  EXPECT_EQ(gpus_text("map_gpu:4", 1, 4),
            "--gpu-bind gives task 0 of the node GPU 4, and the step has 4 there, counted from 0");
  EXPECT_EQ(gpus_text("per_task:3", 2, 4),
            "--gpu-bind gives task 1 of the node GPU 5, and the step has 4 there, counted from 0");
  EXPECT_NE(gpus_text("closest", 1, 4, false).find("several NUMA domains"), std::string::npos);
  for (const char* text : {"nearest", "single:", "single:0", "map_gpu:", "per_task:x", "vnone"})
    EXPECT_EQ(gpus_text(text, 1, 1), "not read") << text;
}

}  // namespace
}  // namespace cox
