/* test_ranks.c - text messages between the ranks of a job under MPI: each arrives once, whole, and with
 * the rank that sent it. The test starts itself under mpirun; no rank waits longer than a few seconds for
 * a message. */
#include "check.h"
#include "run.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 3, MESSAGES = 4 };

/* Returns message K of RANK: 0, 1, 10 and 1000 characters, the last of which is a letter of its own. */
static const char *text_of(int rank, int k)
{
  static const int length[MESSAGES] = { 0, 1, 10, 1000 };
  static char text[1001];
  memset(text, '0' + rank, sizeof text);
  text[length[k]] = '\0';
  if (length[k] > 0) text[length[k] - 1] = (char)('a' + k);
  return text;
}

/* Returns the next message, or NULL after two seconds without one. */
static char *wait_for_message(hn_ranks *ranks, int *from)
{
  for (int i = 0; i < 2000; i++) {
    char *text = hn_ranks_receive(ranks, from);
    if (text) return text;
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
  }
  return NULL;
}

/* Receives the messages of all other ranks at rank 0. Returns the number of faults, each printed. */
static int receive_all(hn_ranks *ranks)
{
  int next[RANKS] = { 0 }, faults = 0;
  for (int i = 0; i < (RANKS - 1) * MESSAGES; i++) {
    int from = -1;
    char *text = wait_for_message(ranks, &from);
    if (!text) return printf("  message %d has not arrived: FAILED\n", i + 1), faults + 1;
    const bool known = from > 0 && from < RANKS && next[from] < MESSAGES;
    const char *expected = known ? text_of(from, next[from]++) : "";
    const bool good = known && strcmp(text, expected) == 0;
    if (!good)
      printf("  from rank %d: %zu characters \"%.12s\", expected %zu \"%.12s\": FAILED\n", from, strlen(text),
             text, strlen(expected), expected);
    faults += !good;
    free(text);
  }
  return faults;
}

/* Rank 0 receives and answers; each other rank sends its messages, then expects the answer "done N" with its
 * number. Returns the exit status. */
static int act_as_rank(void)
{
  hn_error error = { "" };
  char answer[32];
  hn_ranks *ranks = hn_ranks_open(&error);
  if (!ranks) return printf("  %s: FAILED\n", error.text), 1;
  const int rank = hn_ranks_rank(ranks);
  int faults = hn_ranks_size(ranks) != RANKS || !hn_ranks_wanted();
  if (faults) printf("  %d ranks, expected %d: FAILED\n", hn_ranks_size(ranks), RANKS);
  for (int k = 0; rank > 0 && k < MESSAGES; k++) faults += hn_ranks_send(ranks, 0, text_of(rank, k)) != 0;
  if (rank == 0) faults += receive_all(ranks);
  for (int to = 1; rank == 0 && to < RANKS; to++) {
    snprintf(answer, sizeof answer, "done %d", to);
    faults += hn_ranks_send(ranks, to, answer) != 0;
  }
  if (rank > 0) {
    int from = -1;
    char *text = wait_for_message(ranks, &from);
    snprintf(answer, sizeof answer, "done %d", rank);
    const bool good = text && from == 0 && strcmp(text, answer) == 0;
    if (!good) printf("  rank %d: answer \"%s\" from rank %d: FAILED\n", rank, text ? text : "(none)", from);
    faults += !good;
    free(text);
  }
  fflush(stdout);
  hn_ranks_close(ranks);
  return faults ? 1 : 0;
}

static void messages_arrive_whole_and_with_their_sender(void **unused)
{
  (void)unused;
  char self[512], command[1024];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0 || system("command -v mpirun >/dev/null") != 0) skip();
  self[length] = '\0';
  snprintf(command, sizeof command, "timeout 20 mpirun %s --oversubscribe -n %d '%s' 2>&1",
           getuid() == 0 ? "--allow-run-as-root" : "", RANKS, self);
  fflush(stdout);
  const int status = system(command);
  printf("  %d ranks, %d messages each: status %d\n", RANKS, MESSAGES, WEXITSTATUS(status));
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(messages_arrive_whole_and_with_their_sender) };
#ifdef HN_WITH_MPI
  if (hn_ranks_wanted()) return act_as_rank();
  return cmocka_run_group_tests(tests, NULL, NULL);
#else
  printf("Holonom was built without MPI: %zu test is skipped\n", sizeof tests / sizeof *tests);
  (void)act_as_rank;
  return 77;
#endif
}
