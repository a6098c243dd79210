/* Threads are refused by name; atomics are not, and the answer says what they take for granted.
 */
#include <pthread.h>

static void *run(void *argument) { return argument; }

int decide(int n)
{
    pthread_t thread;
    if (n == 1)
        pthread_create(&thread, 0, run, 0);
    if (n == 2)
        __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST);
    return n;
}
