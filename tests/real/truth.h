/* The truth about a program, found by trying every scenario of each question's family.

   A driver, truth.c or truth.cpp in a program's folder, first says what the program is given and what it was in fact:

       struct given { int speed; };
       static const struct given FACT = { 30 };

   then includes this file and the program's own sources, and defines

       static void restore(void);   puts g into the program's state, as it was before the first call
       static void call(void);      gives the program the environment of g, and calls its entry once

   Each question stands before the loops over its family, with what has to be seen in each scenario:

       QUESTION("would brake if speed in {0..50}")
       {
           EACH (speed, 0, 50)
               SCENARIO(brake == 1);
       }

   The fact is no scenario and is left out here. A run that traps (undefined behaviour, abort, a C++ exception) fails:
   it shows no behavior, and FAILS counts it. The program prints a line for each question: its verdict and its text.
   NOT_YET is a QUESTION that soid does not answer today, WRONG one to which its answer is wrong, each with the reason. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct given g; /* the scenario that is tried */
static void restore(void);
static void call(void);

enum truth_when { TRUTH_AFTER, TRUTH_WITHIN, TRUTH_THROUGHOUT };

static struct {
    const char *text;
    long scenarios, showing; /* those that were tried, and those that showed the behavior */
    int steps, true_steps;   /* of this scenario: the steps that decided, and those of them that showed it */
    bool last, failed;
} truth;
static sigjmp_buf truth_before_the_call;

static void truth_trapped(int number)
{
    siglongjmp(truth_before_the_call, number);
}

/* Calls the program; gives whether it decided. */
static __attribute__((noinline)) bool truth_decides(void)
{
    if (sigsetjmp(truth_before_the_call, 0) != 0)
        return false;
#ifdef __cplusplus
    try {
        call();
    } catch (...) {
        return false;
    }
#else
    call();
#endif
    return true;
}

static bool truth_begin(void)
{
    if (strncmp(truth.text, "did ", 4) != 0 && memcmp(&g, &FACT, sizeof g) == 0)
        return false;
    truth.scenarios++;
    truth.steps = truth.true_steps = 0;
    truth.last = truth.failed = false;
    restore();
    return true;
}

static bool truth_step(void)
{
    truth.failed = !truth_decides();
    return !truth.failed;
}

static void truth_see(bool shown)
{
    truth.steps++;
    truth.true_steps += shown;
    truth.last = shown;
}

static void truth_end(enum truth_when when, int steps)
{
    if (when == TRUTH_WITHIN)
        truth.showing += truth.true_steps > 0;
    else if (when == TRUTH_THROUGHOUT)
        truth.showing += truth.true_steps == steps;
    else
        truth.showing += truth.steps == steps && truth.last;
}

#define TRUTH_STEPS(count, when, behavior)                                \
    do {                                                                  \
        if (!truth_begin())                                               \
            break;                                                        \
        for (int truth_i = 0; truth_i < (count) && truth_step(); truth_i++) \
            truth_see(behavior);                                          \
        truth_end(when, count);                                           \
    } while (0)

#define SCENARIO(behavior) TRUTH_STEPS(1, TRUTH_AFTER, behavior)
#define AFTER(steps, behavior) TRUTH_STEPS(steps, TRUTH_AFTER, behavior)
#define WITHIN(steps, behavior) TRUTH_STEPS(steps, TRUTH_WITHIN, behavior)
#define THROUGHOUT(steps, behavior) TRUTH_STEPS(steps, TRUTH_THROUGHOUT, behavior)
#define FAILS(steps)                                                      \
    do {                                                                  \
        if (!truth_begin())                                               \
            break;                                                        \
        for (int truth_i = 0; truth_i < (steps) && truth_step(); truth_i++) \
            ;                                                             \
        truth.showing += truth.failed;                                    \
    } while (0)

/* Loops over one input: whole numbers from low to high, every float from low to high, or the values of a list. */
#define EACH(input, low, high) \
    for (long long truth_v = (low); truth_v <= (high) && ((g.input = (__typeof__(g.input))truth_v), true); truth_v++)
#define EACH_FLOAT(input, low, high) for (g.input = (low); g.input <= (high); g.input = nextafterf(g.input, INFINITY))
#define EACH_OF(input, list)                                                                              \
    for (size_t truth_v = 0; truth_v < sizeof list / sizeof *list && ((g.input = list[truth_v]), true); \
         truth_v++)

#define TRUTH_JOIN_(a, b) a##b
#define TRUTH_JOIN(a, b) TRUTH_JOIN_(a, b)
#define TRUTH_QUESTION(name, text)                                                                       \
    static void TRUTH_JOIN(name, _try)(void);                                                            \
    __attribute__((constructor)) static void name(void) { truth_add(text, TRUTH_JOIN(name, _try)); } \
    static void TRUTH_JOIN(name, _try)(void)
#define QUESTION(text) TRUTH_QUESTION(TRUTH_JOIN(truth_question_, __LINE__), text)
#define NOT_YET(reason, text) QUESTION(text)
#define WRONG(reason, text) QUESTION(text)

static struct {
    const char *text;
    void (*try_all)(void);
} truth_questions[32];
static int truth_count;

static void truth_add(const char *text, void (*try_all)(void))
{
    truth_questions[truth_count].text = text;
    truth_questions[truth_count++].try_all = try_all;
}

static const char *truth_verdict(void)
{
    if (truth.scenarios == 0)
        return "vacuous";
    if (strncmp(truth.text, "might ", 6) == 0)
        return truth.showing > 0 ? "yes" : "no";
    return truth.showing == truth.scenarios ? "yes" : "no";
}

int main(void)
{
    const int signals[] = { SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSEGV, SIGBUS };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = truth_trapped;
        action.sa_flags = SA_NODEFER;
        sigaction(signals[i], &action, NULL);
    }
    for (int i = 0; i < truth_count; i++) {
        memset(&truth, 0, sizeof truth);
        truth.text = truth_questions[i].text;
        memcpy(&g, &FACT, sizeof g);
        truth_questions[i].try_all();
        printf("%s\t%ld\t%s\n", truth_verdict(), truth.scenarios, truth.text);
    }
    return 0;
}
