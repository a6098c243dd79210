/* Atomic operations of a program that runs alone: each is what its parts are.
 * try: op = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11; a = -7, 0, 3, 2147483647; b = -1, 3, 5
 */
#include <stdatomic.h>
#include <stdint.h>

static _Atomic int32_t cell;
static _Atomic uint8_t small;
static int32_t counted, *_Atomic place;

int decide(int op, int a, int b)
{
    int32_t expected = 3, old = 0;
    uint32_t word = (uint32_t)a;
    atomic_store(&cell, a);
    switch (op) {
    case 0: old = atomic_fetch_add(&cell, b); break;
    case 1: old = atomic_fetch_sub_explicit(&cell, b, memory_order_relaxed); break;
    case 2: old = atomic_fetch_and(&cell, b); break;
    case 3: old = atomic_fetch_or(&cell, b); break;
    case 4: old = atomic_fetch_xor(&cell, b); break;
    case 5: old = atomic_exchange(&cell, b); break;
    case 6: old = (int32_t)__atomic_fetch_nand(&word, (uint32_t)b, __ATOMIC_ACQ_REL); cell = (int32_t)word; break;
    case 7: old = atomic_compare_exchange_strong(&cell, &expected, b) ? 100 : expected; break;
    case 8:
        while (!atomic_compare_exchange_weak(&cell, &expected, b))
            old++;
        break;
    case 9: old = __atomic_fetch_max(&counted, a, __ATOMIC_SEQ_CST) + __atomic_fetch_min(&counted, b, __ATOMIC_SEQ_CST); break;
    case 10:
        atomic_thread_fence(memory_order_seq_cst);
        place = &counted;
        *atomic_load(&place) = b;
        old = counted + (atomic_exchange(&place, (int32_t *)0) == &counted);
        break;
    case 11: small = (uint8_t)a; small += 250; old = small--; break;
    }
    return (int)((uint32_t)old * 3u + (uint32_t)atomic_load_explicit(&cell, memory_order_acquire));
}
