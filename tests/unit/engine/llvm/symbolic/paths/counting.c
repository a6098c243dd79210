/* What the window counts. Each function is followed by the count for n = 0, 1, 2, 3, 4: one for each round of a loop
 * that was completed, one for each call of a function of the program. */

static int twice(int x) { return x + x; }
static int once(int x) { return twice(x) - x; }
static int is_below(int i, int n) { return i < n; }

int straight(int n) { int x = n; if (x > 2) x = 1; else x = 2; return x ? x + 1 : x; }
/* counts: 0 0 0 0 0 */

int for_loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
/* counts: 0 1 2 3 4 */

int while_loop(int n) { int s = 0; while (n > 0) { s += n; n--; } return s; }
/* counts: 0 1 2 3 4 */

int while_both(int n) { int s = 0; while (n > 0 && s < 100) { s += n; n--; } return s; }
/* counts: 0 1 2 3 4 */

int do_loop(int n) { int i = 0; do { i++; } while (i < n); return i; }
/* counts: 1 1 2 3 4 */

int do_both(int n) { int i = 0; do { i++; } while (i < n && i < 100); return i; }
/* counts: 1 1 2 3 4 */

int do_once(int n) { do { n++; } while (0); return n; }
/* counts: 0 0 0 0 0 */

int forever(int n) { int i = 0; for (;;) { if (i >= n) break; i++; } return i; }
/* counts: 0 1 2 3 4 */

int forever_while(int n) { int i = 0; while (1) { if (i >= n) return i; i++; } }
/* counts: 0 1 2 3 4 */

int goto_loop(int n) { int i = 0; again: if (i < n) { i++; goto again; } return i; }
/* counts: 0 1 2 3 4 */

int goto_at_the_end(int n) { int i = 0; again: i++; if (i < n) goto again; return i; }
/* counts: 0 0 1 2 3 */

int goto_forward(int n) { if (n > 1) goto out; n = 7; out: return n; }
/* counts: 0 0 0 0 0 */

int into_the_loop(int n) { int i = 0; goto middle; top: i++; middle: if (i < n) goto top; return i; }
/* counts: 0 1 2 3 4 */

int continuing(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i % 2) continue; s++; } return s; }
/* counts: 0 1 2 3 4 */

int continuing_while(int n) { int i = 0; while (i < n) { i++; if (i == 2) continue; i += 0; } return i; }
/* counts: 0 1 2 3 4 */

int continuing_do(int n) { int i = 0; do { i++; if (i == 2) continue; i += 0; } while (i < n); return i; }
/* counts: 1 1 2 3 4 */

int breaking(int n) { int i; for (i = 0; i < n; i++) if (i == 2) break; return i; }
/* counts: 0 1 2 2 2 */

int nested(int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) s++; return s; }
/* counts: 0 1 3 6 10 */

int calling(int n) { return twice(n) + once(n); }
/* counts: 3 3 3 3 3 */

int calling_in_a_loop(int n) { int s = 0; for (int i = 0; is_below(i, n); i++) s = twice(s); return s; }
/* counts: 1 4 7 10 13 */

int recursion(int n) { return n > 0 ? 1 + recursion(n - 1) : 0; }
/* counts: 0 1 2 3 4 */

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
/* counts: 0 0 2 4 8 */

int through_a_pointer(int n) { int (*call)(int) = n > 1 ? twice : once; return call(n); }
/* counts: 2 2 1 1 1 */

int switching(int n) { switch (n) { case 0: return 5; case 1 ... 3: n = 9; default: return n; } }
/* counts: 0 0 0 0 0 */

int a_wide_range(int n) { switch (n) { case 3 ... 300: n = 9; break; case 2: n = 1; break; default: n = 4; } return n; }
/* counts: 0 0 0 0 0 */

int a_machine(int n)
{
    int state = 0, rounds = 0;
    for (;;)
        switch (state) {
        case 0: state = rounds < n ? 1 : 2; continue;
        case 1: rounds++; state = 0; break;
        default: return rounds;
        }
}
/* counts: 1 3 5 7 9 */

int into_the_middle(int n)
{
    int s = 0, rounds = (n + 1) >> 1;
    if (n > 0)
        switch (n % 2) {
        case 0: do { s++;
        case 1: s++; } while (--rounds > 0);
        }
    return s;
}
/* counts: 0 1 1 2 2 */

int copying(int n) { struct pair { int a[9], b; } x = {{n}, n}, y = x; return y.b; }
/* counts: 0 0 0 0 0 */
