// Tests how the topology matrix of nvidia-smi is parsed, in the forms that real machines print, and
// that other text is rejected.
#include "worker/gpu_matrix.h"

#include <gtest/gtest.h>

#include <string>

namespace cox {
namespace {

const std::string legend =
    "\n"
    "Legend:\n"
    "\n"
    "  X    = Self\n"
    "  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., "
    "QPI/UPI)\n"
    "  PIX  = Connection traversing at most a single PCIe bridge\n"
    "  NV#  = Connection traversing a bonded set of # NVLinks\n";

const std::string hgx =
    "\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\tNIC0\tNIC1\tCPU Affinity\tNUMA "
    "Affinity\tGPU NUMA ID\x1b[0m\n"
    "GPU0\t X \tNV18\tNV18\tNV18\tNV18\tNV18\tNV18\tNV18\tPIX\tSYS\t0-51,104-155\t0\t\tN/A\n"
    "GPU1\tNV18\t X \tNV18\tNV18\tNV18\tNV18\tNV18\tNV18\tNODE\tSYS\t0-51,104-155\t0\t\tN/A\n"
    "GPU2\tNV18\tNV18\t X \tNV18\tNV18\tNV18\tNV18\tNV18\tNODE\tSYS\t0-51,104-155\t0\t\tN/A\n"
    "GPU3\tNV18\tNV18\tNV18\t X \tNV18\tNV18\tNV18\tNV18\tNODE\tSYS\t0-51,104-155\t0\t\tN/A\n"
    "GPU4\tNV18\tNV18\tNV18\tNV18\t X \tNV18\tNV18\tNV18\tSYS\tPIX\t52-103,156-207\t1\t\tN/A\n"
    "GPU5\tNV18\tNV18\tNV18\tNV18\tNV18\t X \tNV18\tNV18\tSYS\tNODE\t52-103,156-207\t1\t\tN/A\n"
    "GPU6\tNV18\tNV18\tNV18\tNV18\tNV18\tNV18\t X \tNV18\tSYS\tNODE\t52-103,156-207\t1\t\tN/A\n"
    "GPU7\tNV18\tNV18\tNV18\tNV18\tNV18\tNV18\tNV18\t X \tSYS\tNODE\t52-103,156-207\t1\t\tN/A\n"
    "NIC0\tPIX\tNODE\tNODE\tNODE\tSYS\tSYS\tSYS\tSYS\t X \tSYS\t\t\t\t\n"
    "NIC1\tSYS\tSYS\tSYS\tSYS\tPIX\tNODE\tNODE\tNODE\tSYS\t X \t\t\t\t\n" +
    legend;

// NVLink bridges join GPU 0 with 2, and 1 with 3.
const std::string bridged =
    "        GPU0    GPU1    GPU2    GPU3    mlx5_0  CPU Affinity    NUMA Affinity\n"
    "GPU0     X      PXB     NV4     SYS     NODE    0-31,64-95      0\n"
    "GPU1    PXB      X      SYS     NV4     NODE    0-31,64-95      0\n"
    "GPU2    NV4     SYS      X      PXB     SYS     32-63,96-127    1\n"
    "GPU3    SYS     NV4     PXB      X      SYS     32-63,96-127    1\n"
    "mlx5_0  NODE    NODE    SYS     SYS      X \n" +
    legend;

const std::string cards =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tPHB\tSYS\tSYS\t0-31\t0\t\tN/A\n"
    "GPU1\tPHB\t X \tSYS\tSYS\t0-31\t0\t\tN/A\n"
    "GPU2\tSYS\tSYS\t X \tNODE\t32-63\t1\t\tN/A\n"
    "GPU3\tSYS\tSYS\tNODE\t X \t32-63\t1\t\tN/A\n" +
    legend;

// Not all pairs of GPUs are linked directly, as on a DGX-1: GPU 0 reaches GPU 3 through GPU 1 or 2.
const std::string mesh =
    "\tGPU0\tGPU1\tGPU2\tGPU3\n"
    "GPU0\tX\tNV1\tNV2\tSYS\n"
    "GPU1\tNV1\tX\tSYS\tNV2\n"
    "GPU2\tNV2\tSYS\tX\tNV1\n"
    "GPU3\tSYS\tNV2\tNV1\tX\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace

TEST(GpuMatrix, gpus_on_a_board_with_switches_are_all_joined) {
  EXPECT_EQ(joined_by_nvlink(hgx, 8), (GpuGroups{{0, 1, 2, 3, 4, 5, 6, 7}}));
}

TEST(GpuMatrix, bridges_join_pairs_of_gpus) {
  EXPECT_EQ(joined_by_nvlink(bridged, 4), (GpuGroups{{0, 2}, {1, 3}}));
}

TEST(GpuMatrix, gpus_without_links_are_not_joined) {
  EXPECT_EQ(joined_by_nvlink(cards, 4), (GpuGroups{{0}, {1}, {2}, {3}}));
}

TEST(GpuMatrix, gpus_that_are_linked_through_others_are_joined) {
  EXPECT_EQ(joined_by_nvlink(mesh, 4), (GpuGroups{{0, 1, 2, 3}}));
}

TEST(GpuMatrix, text_before_the_matrix_and_carriage_returns_are_ignored) {
  EXPECT_EQ(joined_by_nvlink("WARNING: infoROM is corrupted\n" + mesh, 4),
            (GpuGroups{{0, 1, 2, 3}}));
  EXPECT_EQ(joined_by_nvlink(replaced(mesh, "SYS\n", "SYS\r\n"), 4), (GpuGroups{{0, 1, 2, 3}}));
}

TEST(GpuMatrix, a_matrix_of_another_number_of_gpus_is_rejected) {
  EXPECT_EQ(joined_by_nvlink(cards, 3), std::nullopt);
  EXPECT_EQ(joined_by_nvlink(cards, 5), std::nullopt);
  EXPECT_EQ(joined_by_nvlink(cards, 0), std::nullopt);
  EXPECT_EQ(joined_by_nvlink(cards, 1'000'000), std::nullopt);
}

TEST(GpuMatrix, a_truncated_matrix_is_rejected) {
  const std::size_t whole = mesh.rfind("X");
  for (std::size_t bytes = 0; bytes <= whole; ++bytes)
    EXPECT_EQ(joined_by_nvlink(mesh.substr(0, bytes), 4), std::nullopt) << bytes;
  EXPECT_NE(joined_by_nvlink(mesh.substr(0, whole + 1), 4), std::nullopt);
}

TEST(GpuMatrix, a_malformed_matrix_is_rejected) {
  for (const auto& [from, to] : std::initializer_list<std::pair<std::string, std::string>>{
           {"GPU2\tNV2", "GPU1\tNV2"},        // the row of GPU 2 is named GPU1
           {"GPU0\tX\tNV1", "GPU0\tX\tSYS"},  // GPU 1 is linked to 0, but not 0 to 1
           {"NV1", "NV"},
           {"NV1", "NV0"},
           {"NV1", "NVIDIA"},
           {"NV1", "NV1000000"},
           {"NV1", "OK"},
           {"NV1", "X"},
           {"X\tNV1", "SYS\tNV1"},  // GPU 0 is not marked X in its own column
           {"SYS\n", "\n"},         // a row lacks its last cell
           {"GPU3\n", "\n"},        // the header lacks the last column
           {"GPU1\tGPU2", "GPU2\tGPU1"},
           {"GPU0\tGPU1", "\x1b[4"},
           {"GPU1\tNV1", std::string("GPU1\0NV1", 8)}})
    EXPECT_EQ(joined_by_nvlink(replaced(mesh, from, to), 4), std::nullopt) << from << " " << to;
  EXPECT_EQ(joined_by_nvlink("", 2), std::nullopt);
  EXPECT_EQ(joined_by_nvlink("No devices were found\n", 2), std::nullopt);
  EXPECT_EQ(joined_by_nvlink(std::string(100'000, '\n'), 2), std::nullopt);
}

}  // namespace cox
