#include "simulate/io/inputs.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

namespace cox::simulate {
namespace {

namespace fs = std::filesystem;

class Inputs : public testing::Test {
 protected:
  Inputs() : folder_(fs::path(testing::TempDir()) / "cox_simulate_inputs") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Inputs() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string gzip(const std::string& name, const std::string& text) const {
    gzFile file = ::gzopen(path(name).c_str(), "wb");
    ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    ::gzclose(file);
    return path(name);
  }

  fs::path folder_;
};

TEST_F(Inputs, plain_and_gzip_files_are_read) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  ASSERT_FALSE(write_text(path("a"), text));
  EXPECT_EQ(read_text(path("a")).value(), text);
  EXPECT_EQ(read_text(gzip("a.gz", text)).value(), text);
}

TEST_F(Inputs, truncated_absent_and_unwritable_files_are_refused) {
  const std::string whole = gzip("a.gz", std::string(100'000, 'x') + "end");
  fs::resize_file(whole, fs::file_size(whole) - 20);
  const auto text = read_text(whole);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.refusal().hint, "is the file complete?");
  EXPECT_FALSE(read_text(path("absent")).ok());
  EXPECT_FALSE(read_text(folder_.string()).ok());
  EXPECT_TRUE(write_text(path("no/such/folder"), "").has_value());
}

TEST_F(Inputs, a_check_for_writing_leaves_all_files_unchanged) {
  EXPECT_FALSE(check_writable(path("new")));
  EXPECT_FALSE(fs::exists(path("new")));
  ASSERT_FALSE(write_text(path("old"), "kept"));
  EXPECT_FALSE(check_writable(path("old")));
  EXPECT_EQ(read_text(path("old")).value(), "kept");
  EXPECT_FALSE(check_writable("/dev/null"));
  EXPECT_TRUE(check_writable(folder_.string()).has_value());
  const auto failure = check_writable(path("no/such/folder"));
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->fact,
            "cannot write " + path("no/such/folder") + ": No such file or directory");
}

TEST_F(Inputs, a_cluster_is_read_from_words_a_table_or_a_configuration) {
  EXPECT_EQ(read_cluster("procs=7").value().cpu_milli(), 7'000);
  ASSERT_FALSE(write_text(path("nodes.csv"), "sn,cpu_milli,memory_mib,gpu,model\na,1,1,2,x\n"));
  EXPECT_EQ(read_cluster(path("nodes.csv")).value().gpus(), 2);
  ASSERT_FALSE(write_text(path("coxswain.toml"),
                          "[controller]\ndatabase = \"dbname=x\"\nlisten_local = \"ipc:///x/y\"\n"
                          "checkpoint_root = \"/x\"\n"
                          "[[partition]]\nname = \"main\"\nnodes = \"n[1-3]\"\n"
                          "[worker]\ncontroller = \"ipc:///x/y\"\nspool_dir = \"/x\"\n"
                          "checkpoint_root = \"/x\"\n"
                          "cpus = 4\ngres = [\"gpu:h100:2\"]\n"));
  const auto cluster = read_cluster(path("coxswain.toml"));
  ASSERT_TRUE(cluster.ok()) << cluster.refusal().fact;
  EXPECT_EQ(cluster->gpus(), 6);
  EXPECT_EQ(cluster->nodes[0].gpus[0], "h100");
  const auto absent = read_cluster("somewhere");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.refusal().fact, "--cluster: there is no file \"somewhere\"");
}

TEST_F(Inputs, unequal_nodes_are_read_from_the_node_tables_of_a_configuration) {
  const auto cluster = read_cluster("examples/mixed.toml");
  ASSERT_TRUE(cluster.ok()) << cluster.refusal().fact;
  ASSERT_EQ(cluster->nodes.size(), 4U);
  EXPECT_EQ(cluster->nodes[0].gpus, (std::vector<std::string>(4, "h200")));
  EXPECT_EQ(cluster->nodes[0].islands, (std::vector<std::int32_t>{1, 1, 2, 2}));
  EXPECT_EQ(cluster->nodes[0].domains, (std::vector<std::string>{"spine", "leaf1"}));
  EXPECT_EQ(cluster->nodes[2].features, (std::vector<std::string>{"b"}));
  EXPECT_EQ(cluster->nodes[3].cpu_milli, 16'000);
  EXPECT_EQ(cluster->partitions[1].nodes.size(), 3U);
  EXPECT_EQ(cluster->left_out, (std::vector<std::string>{"the limits on jobs of partition short",
                                                         "licences", "GRES other than GPUs"}));
}

TEST_F(Inputs, workers_of_a_private_cluster_are_read_from_its_folder) {
  fs::create_directories(folder_ / "workers");
  ASSERT_FALSE(write_text(path("coxswain.toml"),
                          "[controller]\ndatabase = \"dbname=x\"\nlisten_local = \"ipc:///x\"\n"
                          "checkpoint_root = \"/x\"\n"));
  EXPECT_EQ(read_cluster(path("coxswain.toml")).refusal().fact,
            path("coxswain.toml") + ": the configuration names no nodes");
  for (const std::string name : {"n1", "n2"})
    ASSERT_FALSE(write_text(path("workers/" + name + ".toml"),
                            "[worker]\nnode_name = \"" + name +
                                "\"\ncontroller = \"ipc:///x\"\nspool_dir = \"/x\"\n"
                                "checkpoint_root = \"/x\"\ncpus = 4\ngres = [\"gpu:h100:2\"]\n"));
  const auto cluster = read_cluster(path("coxswain.toml"));
  ASSERT_TRUE(cluster.ok()) << cluster.refusal().fact;
  EXPECT_EQ(cluster->nodes.size(), 2U);
  EXPECT_EQ(cluster->gpus(), 4);
  EXPECT_EQ(cluster->cpu_milli(), 8'000);
}

}  // namespace
}  // namespace cox::simulate
