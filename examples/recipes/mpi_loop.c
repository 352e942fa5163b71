/* An MPI program that saves on request and resumes. Lines for Coxswain are marked.
 *
 *     sbatch mpi.sh
 *
 * Each rank adds up numbers. In each step all ranks agree whether one of them was asked to save, so
 * that all save the same step. A program with files of its own writes them in place of `total`. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { steps = 400, step_time_us = 20000, saved_run_me_again = 75, path_size = 4096 };

static volatile sig_atomic_t asked = 0;

static void ask(int number) {
  (void)number;
  asked = 1;
}

/* Reads the step and the total of this rank. Leaves them as they are without a checkpoint. */
static void load(int rank, long* step, long* total) {
  const char* folder = getenv("COX_RESUME_FROM"); /* Coxswain */
  char path[path_size];
  if (folder == NULL) return;
  snprintf(path, sizeof path, "%s/rank-%d/total", folder, rank);
  FILE* file = fopen(path, "r");
  if (file == NULL || fscanf(file, "%ld %ld", step, total) != 2) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fclose(file);
  printf("rank %d resumes after step %ld\n", rank, *step);
}

static void save(int rank, long step, long total) {
  const char* folder = getenv("COX_CHECKPOINT_DIR"); /* Coxswain */
  char path[path_size], command[path_size];
  if (folder == NULL) return;
  snprintf(path, sizeof path, "%s/step-%ld", folder, step);
  mkdir(path, 0700); /* the first rank to come here makes it */
  snprintf(path, sizeof path, "%s/step-%ld/rank-%d", folder, step, rank);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/step-%ld/rank-%d/total", folder, step, rank);
  FILE* file = fopen(path, "w");
  if (file == NULL || fprintf(file, "%ld %ld\n", step, total) < 0 || fclose(file) != 0) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  snprintf(command, sizeof command, "cox checkpoint done --step %ld", step); /* Coxswain */
  if (system(command) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  signal(SIGUSR1, ask); /* Coxswain: before the slow start of MPI */
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  setvbuf(stdout, NULL, _IOLBF, 0);

  long step = 0, total = 0;
  load(rank, &step, &total);
  while (step < steps) {
    ++step;
    total += step * (rank + 1); /* the work */
    usleep(step_time_us);
    int mine = asked, any = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && step % 50 == 0) printf("step %ld\n", step);
    if (!any) continue;
    save(rank, step, total);
    MPI_Finalize();
    return saved_run_me_again; /* Coxswain */
  }

  long sum = 0;
  MPI_Reduce(&total, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks finished after step %ld, the sum is %ld\n", size, step, sum);
  MPI_Finalize();
  return 0;
}
