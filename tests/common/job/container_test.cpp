// Tests tasks in containers: the options of a job, and the site's command that the worker puts
// before the task's command.
#include "common/job/container.h"

#include <gtest/gtest.h>

#include <array>

#include "common/base/limits.h"
#include "common/io/config/config_file.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

const Words podman = {"/usr/bin/podman",     "run",
                      "--env={environment}", "--device=nvidia.com/gpu={gpus}",
                      "--volume={mounts}",   "--workdir={workdir}",
                      "--name={name}",       "{image}"};

Result<Words> wrapped(const Words& command, const Words& stored, const Words& environment = {},
                      const Words& folders = {}) {
  return container_words(command, stored, {{"train", "--fast"}, environment, folders});
}

std::string wrong_command(const Words& words) {
  const auto parsed = parse_container_command(words);
  return parsed ? "" : parsed.refusal().fact;
}

TEST(Container, TheSitesCommandComesBeforeTheTasksCommand) {
  const auto words =
      wrapped(podman,
              {"hint=x", "container-image=docker://a/b:c", "container-mounts=/data,/a:/b:ro",
               "container-env=HTTP_PROXY,LANG", "container-workdir=/w", "container-name=mine"},
              {"CUDA_VISIBLE_DEVICES=1,3"}, {"/spool/1", ""});
  ASSERT_TRUE(words.ok()) << words.refusal().fact;
  EXPECT_EQ(*words,
            (Words{"/usr/bin/podman", "run", "--env=HTTP_PROXY", "--env=LANG",
                   "--device=nvidia.com/gpu=1", "--device=nvidia.com/gpu=3",
                   "--volume=/spool/1:/spool/1", "--volume=/data:/data", "--volume=/a:/b:ro",
                   "--workdir=/w", "--name=mine", "docker://a/b:c", "train", "--fast"}));
}

TEST(Container, WordsOfUnusedOptionsAreLeftOut) {
  EXPECT_EQ(*wrapped(podman, {"container=/oci/bundle"}),
            (Words{"/usr/bin/podman", "run", "/oci/bundle", "train", "--fast"}));
  EXPECT_EQ(*wrapped({"/w", "{image}"}, {"container-image={mounts}"}),
            (Words{"/w", "{mounts}", "train", "--fast"}))
      << "placeholders in a user's text are not replaced";
}

TEST(Container, ATaskWithoutAContainerIsNotChanged) {
  EXPECT_EQ(*wrapped(podman, {"hint=x", "container-mounts=/data"}), (Words{"train", "--fast"}));
  EXPECT_EQ(*wrapped({}, {}), (Words{"train", "--fast"}));
}

TEST(Container, AContainerIsRefusedIfTheNodeHasNoContainerCommand) {
  const auto words = wrapped({}, {"container-image=a"});
  ASSERT_FALSE(words.ok());
  EXPECT_NE(words.refusal().fact.find("container_command of [worker]"), std::string::npos);
}

TEST(Container, InvalidContainerOptionsAreRefused) {
  for (const auto& [name, value] :
       {std::pair{"container-image", "-v"}, std::pair{"container-image", ""},
        std::pair{"container-image", "a\nb"}, std::pair{"container-name", "--privileged"},
        std::pair{"container-mounts", "data"}, std::pair{"container-mounts", "/a:b"},
        std::pair{"container-mounts", "/a:/b:ro:x"}, std::pair{"container-mounts", "/a,,/b"},
        std::pair{"container-env", "A=b"}, std::pair{"container-env", "1A"},
        std::pair{"container-workdir", "w"}})
    EXPECT_TRUE(check_container_option(name, value).has_value()) << name << "=" << value;
  std::string many = "A0";
  for (int i = 1; i < 100; ++i) many += ",A" + std::to_string(i);
  EXPECT_TRUE(check_container_option("container-env", many).has_value());
  EXPECT_FALSE(container_wish({"container-image=a", "container=/b"}).ok())
      << "only one of them can be given";
  EXPECT_FALSE(container_wish({"container-image=-a"}).ok()) << "even if a client accepted it";
}

// Returns the refusal of this value for the container option; "" if it is valid.
std::string wrong_value(std::string_view name, const std::string& value) {
  const Failure failure = check_container_option(name, value);
  return failure ? failure->fact : "";
}

// Returns the entry `count` times, separated by commas.
std::string repeated(const std::string& entry, std::size_t count) {
  std::string text = entry;
  for (std::size_t i = 1; i < count; ++i) text += "," + entry;
  return text;
}

TEST(Container, EachInvalidValueIsRefusedWithTheReason) {
  const std::string mount_fact = " is not /HERE:/IN/THE/CONTAINER[:FLAGS] with absolute paths";
  for (const auto& [name, value, fact] : std::vector<std::array<std::string, 3>>{
           {"container-mounts", "/a,/a:/b,/a:/b:ro", ""},
           {"container-mounts", "/a:/b:", "\"/a:/b:\"" + mount_fact},
           {"container-mounts", "/a:/b:ro:x", "\"/a:/b:ro:x\"" + mount_fact},
           {"container-mounts", "/a,b:/b", "\"b:/b\"" + mount_fact},
           {"container-env", "_A1,b", ""},
           {"container-env", "A,", "\"\" is not a variable's name"},
           {"container-env", "1A", "\"1A\" is not a variable's name"},
           {"container-env", "A-B", "\"A-B\" is not a variable's name"},
           {"container-workdir", "/w", ""},
           {"container-workdir", "w/", "\"w/\" is not an absolute path"},
           {"container-name", "mine", ""},
           {"container-name", "-x", "\"-x\" begins with -"},
           {"container", "/oci", ""}})
    EXPECT_EQ(wrong_value(name, value), fact) << name << "=" << value;
  const std::size_t most = limits::container_parts_max;
  EXPECT_EQ(wrong_value("container-env", repeated("A", most)), "");
  EXPECT_EQ(
      wrong_value("container-env", repeated("A", most + 1)),
      "it lists " + std::to_string(most + 1) + " entries; the limit is " + std::to_string(most));
  const std::string longest(limits::wish_bytes_max, 'i');
  EXPECT_EQ(wrong_value("container-image", longest), "");
  EXPECT_EQ(wrong_value("container-image", longest + "i"),
            "it is empty, longer than " + std::to_string(limits::wish_bytes_max) +
                " bytes, or not printable");
  EXPECT_NE(wrong_value("container-image", "\xff"), "");
}

TEST(Container, ContainerOptionsAreFoundAmongTheOptionsOfAJob) {
  const Words stored = {"hint=container", "container-image=a", "container-name", "container-env=A",
                        "container-imag=b"};
  EXPECT_EQ(container_options(stored), (Words{"container-image=a", "container-env=A"}));
  EXPECT_TRUE(wants_container(stored));
  EXPECT_TRUE(wants_container({"container=/oci"}));
  EXPECT_FALSE(wants_container({"container-image", "container-name=a"}));
}

TEST(Container, TheContainerGetsTheGpusOfTheTask) {
  const auto gpus_with = [](const Words& environment) {
    std::string gpus;
    const auto words = wrapped({"/w", "{gpus}", "{image}"}, {"container=i"}, environment);
    for (const std::string& word : *words) gpus += word + " ";
    return gpus;
  };
  EXPECT_EQ(gpus_with({"CUDA_VISIBLE_DEVICES_X=9", "A=1", "CUDA_VISIBLE_DEVICES=1,3",
                       "ROCR_VISIBLE_DEVICES=7"}),
            "/w 1 3 i train --fast ");
  EXPECT_EQ(gpus_with({"CUDA_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES=7"}), "/w 7 i train --fast ");
  EXPECT_EQ(gpus_with({"CUDA_VISIBLE_DEVICES"}), "/w i train --fast ");
}

TEST(Container, TheCommandHasLimitsOfWordsAndLength) {
  Words most(limits::container_words_max, "--flag");
  most.front() = "/podman";
  most[1] = "--from={image}";
  EXPECT_EQ(wrong_command(most), "");
  most.emplace_back("more");
  EXPECT_EQ(wrong_command(most), "has " + std::to_string(limits::container_words_max + 1) +
                                     " words; the limit is " +
                                     std::to_string(limits::container_words_max));
  const std::string longest(limits::path_bytes_max, 'w');
  EXPECT_EQ(wrong_command({"/podman", "{image}", longest}), "");
  EXPECT_NE(wrong_command({"/podman", "{image}", longest + "w"}), "");
  EXPECT_NE(wrong_command({"/podman", "{image}", "a\tb"}), "");
}

TEST(Container, AnInvalidCommandInTheConfigurationIsRefused) {
  EXPECT_EQ(wrong_command(podman), "");
  EXPECT_EQ(wrong_command({}), "");
  EXPECT_NE(wrong_command({"podman", "{image}"}).find("absolute path"), std::string::npos);
  EXPECT_NE(wrong_command({"/podman", "run"}).find("no word with {image}"), std::string::npos);
  EXPECT_NE(wrong_command({"/podman", "{images}", "{image}"}).find("{images}"), std::string::npos);
  EXPECT_NE(wrong_command({"/podman", "{image}:{name}"}).find("may contain at most one of"),
            std::string::npos);
  EXPECT_NE(wrong_command({"/podman", "{image"}).find("may contain at most one of"),
            std::string::npos);
  EXPECT_NE(wrong_command({"/podman", "", "{image}"}).find("is empty"), std::string::npos);
}

TEST(Container, TheExamplesForApptainerPodmanAndEnrootAreValid) {
  for (const char* name : {"apptainer", "podman", "enroot"}) {
    const auto text = read_config_text("etc/containers/" + std::string(name) + ".toml");
    ASSERT_TRUE(text.ok()) << name;
    const auto config = parse_config(*text +
                                         "\ncontroller = \"ipc:///c\"\nspool_dir = \"/s\"\n"
                                         "checkpoint_root = \"/c\"\n",
                                     name);
    ASSERT_TRUE(config.ok()) << config.refusal().fact;
    const auto words = container_words(config->worker.container_command, {"container-image=IMAGE"},
                                       {{"train"}, {}, {"/spool"}});
    ASSERT_TRUE(words.ok());
    EXPECT_EQ((*words)[words->size() - 2], "IMAGE") << name;
    EXPECT_EQ(words->back(), "train") << name;
  }
}

}  // namespace
}  // namespace cox
