/* Natural numbers of up to 4,096 bits, and floats as their parts. */
#ifndef SOID_BIG_NUMBERS_H
#define SOID_BIG_NUMBERS_H

#include "library.h"

#include <float.h>

enum { MOST_LIMBS = 128 };

typedef struct {
    int size; /* limbs that are used; the last one is not 0 */
    uint32_t limbs[MOST_LIMBS];
} big_number;

static inline void append_limb(big_number *number, uint32_t limb)
{
    if (limb == 0)
        return;
    if (number->size == MOST_LIMBS)
        soid_not_explored("a number of more than 4096 bits in soid's own library");
    number->limbs[number->size++] = limb;
}

static inline void big_set(big_number *number, uint64_t value)
{
    number->size = 0;
    number->limbs[0] = (uint32_t)value;
    number->limbs[1] = (uint32_t)(value >> 32);
    number->size = value >> 32 ? 2 : value != 0;
}

static inline void big_multiply_add(big_number *number, uint32_t factor, uint32_t more)
{
    uint64_t carry = more;
    for (int i = 0; i < number->size; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    append_limb(number, (uint32_t)carry);
}

static inline void big_multiply_by_ten(big_number *number, int32_t times)
{
    for (; times >= 9; times -= 9)
        big_multiply_add(number, 1000000000u, 0);
    for (; times > 0; times--)
        big_multiply_add(number, 10, 0);
}

static inline void big_shift(big_number *number, int32_t bits)
{
    int whole = (int)(bits / 32);
    if (number->size > 0 && whole > 0) {
        if (number->size + whole > MOST_LIMBS)
            soid_not_explored("a number of more than 4096 bits in soid's own library");
        for (int i = number->size - 1; i >= 0; i--)
            number->limbs[i + whole] = number->limbs[i];
        for (int i = 0; i < whole; i++)
            number->limbs[i] = 0;
        number->size += whole;
    }
    if (bits % 32 != 0)
        big_multiply_add(number, (uint32_t)1 << bits % 32, 0);
}

static inline int big_compare(const big_number *one, const big_number *other)
{
    if (one->size != other->size)
        return one->size < other->size ? -1 : 1;
    for (int i = one->size - 1; i >= 0; i--)
        if (one->limbs[i] != other->limbs[i])
            return one->limbs[i] < other->limbs[i] ? -1 : 1;
    return 0;
}

/* `other` is not the greater one. */
static inline void big_subtract(big_number *number, const big_number *other)
{
    uint64_t borrow = 0;
    for (int i = 0; i < number->size; i++) {
        uint64_t away = borrow + (i < other->size ? other->limbs[i] : 0);
        borrow = number->limbs[i] < away;
        number->limbs[i] = (uint32_t)(number->limbs[i] - away);
    }
    while (number->size > 0 && number->limbs[number->size - 1] == 0)
        number->size--;
}

static inline int bit_length(uint64_t value)
{
    int bits = 0;
    for (; value != 0; value >>= 1)
        bits++;
    return bits;
}

static inline int32_t big_bit_length(const big_number *number)
{
    return number->size == 0 ? 0 : 32 * (number->size - 1) + bit_length(number->limbs[number->size - 1]);
}

#endif
