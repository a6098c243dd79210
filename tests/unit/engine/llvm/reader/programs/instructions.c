/* One of everything that unoptimised C turns into. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int x, y; } pair;
typedef struct { double d; float f; } mixed;
typedef struct { char c[3]; } odd;
typedef struct { long a[5]; } big;
typedef float vec4 __attribute__((vector_size(16)));
enum mode { IDLE, RUN = 5, STOP = -1 };

static int counter;
_Thread_local int per_thread = 4;
extern int elsewhere;
const char *const words[] = {"one", "two"};

int integers(int a, int b, unsigned c, unsigned d) {
  int r = a + b - a * b;
  r += a / (b | 1) + a % (b | 1) + (int)(c / (d | 1)) + (int)(c % (d | 1));
  r ^= (a << 3) | (a >> 2) | (int)(c >> 4);
  r &= ~b;
  return -r;
}

double floats(double a, float b, _Float16 h) {
  double r = a + b - a * (double)b / (a + 1.5);
  r += (double)h + (float)r + fmod(a, 3.0);
  return -r;
}

int casts(signed char a, unsigned short b, long c, double d, void *p) {
  int i = a + b;
  i += (int)c + (int)d + (int)(unsigned)d + (int)(float)d;
  d = (double)i + (double)(unsigned)i;
  uintptr_t n = (uintptr_t)p;
  p = (void *)(n + 1);
  return (int)d + (p != NULL);
}

int compares(int a, unsigned b, double d, bool t) {
  return (a < 1) + (b < 2u) + (a <= 3) + (b >= 4u) + (a == 5) + (b != 6u) + (d < 7.0) + (d <= 8.0) + (d == 9.0)
    + (d != 10.0) + (d > 11.0) + (d >= 12.0) + (a > 13) + (a >= 14) + (b > 15u) + (b <= 16u) + t + !d + isnan(d);
}

int control(enum mode m, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (i == 3) continue;
    if (i == 7) break;
    sum += i;
  }
  do { sum--; } while (sum > 100);
  switch (m) {
    case IDLE: return sum;
    case RUN: sum += 2; /* falls through */
    case STOP: goto out;
    default: abort();
  }
out:
  return n > 3 && sum > 4 ? sum : n || m;
}

int memory(pair *p, int table[][3], int n) {
  int vla[n];
  pair local = {1, 2}, copy = *p;
  volatile int seen = 3;
  memset(vla, 0, sizeof vla);
  memcpy(&local, p, sizeof local);
  p->y = local.x + seen + table[n][2] + ((pair){n, 4}).y;
  return vla[0] + copy.y + p[1].x + counter++ + per_thread + elsewhere;
}

int variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  int r = va_arg(list, int);
  r += (int)va_arg(list, double);
  va_end(list);
  return r;
}

pair by_value(pair p, mixed m, odd o, big b) {
  pair q = {p.x + o.c[2], (int)m.d + (int)m.f + (int)b.a[4]};
  return q;
}
big large(int n) { big b = {{n}}; return b; }
mixed both(mixed m) { m.f += 1; return m; }

int calls(int (*f)(int), mixed m) {
  pair p = by_value((pair){1, 2}, m, (odd){"ab"}, large(3));
  static int (*const known[])(int) = {abs};
  signed char small = (signed char)p.x;
  return f(p.y) + known[0](small) + variadic(2, 3, 4.0) + (int)both(m).f + __builtin_popcount((unsigned)p.y);
}

float vectors(vec4 a, vec4 b) {
  vec4 c = a * b + (vec4){1, 1, 1, 1};
  c[2] = 4;
  vec4 d = __builtin_shufflevector(c, a, 0, 5, 2, 7);
  return d[1];
}

int rare(int *p, int n) {
  __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  int expected = 1;
  __atomic_compare_exchange_n(p, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  __asm__ volatile("nop" : : : "memory");
  static void *const places[] = {&&one, &&two};
  goto *places[n & 1];
one:
  return __atomic_load_n(p, __ATOMIC_SEQ_CST);
two:
  __atomic_store_n(p, 2, __ATOMIC_SEQ_CST);
  return 2;
}

bool overflow(int a, int b, int *r) { return __builtin_add_overflow(a, b, r); }
__int128 wide(__int128 a) { return a + 1; }
long double extended(long double a) { return a + 1.0L; }
_Noreturn void never(void) { __builtin_unreachable(); }
int second(int a) __attribute__((alias("first")));
int first(int a) { return a; }
