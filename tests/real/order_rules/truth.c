#include "rules.h"

struct given {
    struct order order;
};
static const struct given FACT = { { "BUY 125", "P07" } };

#include "../truth.h"
#include "rules.c"

static verdict_t result;

static void restore(void) {}

static void call(void)
{
    result = check_order(&g.order);
}

#define LINE order.line

QUESTION("did return == RULE_HOLD")
{
    SCENARIO(result == RULE_HOLD);
}

QUESTION("would return == RULE_HOLD if o.line[6] in {48..57}")
{
    EACH (LINE[6], '0', '9')
        SCENARIO(result == RULE_HOLD);
}

QUESTION("would return in {RULE_ACCEPT, RULE_HOLD} if o.line[4] in {48..57} and o.line[5] in {48..57} and o.line[6] in {48..57}")
{
    EACH (LINE[4], '0', '9')
        EACH (LINE[5], '0', '9')
            EACH (LINE[6], '0', '9')
                SCENARIO(result == RULE_ACCEPT || result == RULE_HOLD);
}

QUESTION("might return == RULE_REJECT if o.account[0] is anything")
{
    EACH (order.account[0], -128, 127)
        SCENARIO(result == RULE_REJECT);
}

QUESTION("might return == RULE_REJECT if o.account[1] in {48..57} and o.account[2] in {48..57}")
{
    EACH (order.account[1], '0', '9')
        EACH (order.account[2], '0', '9')
            SCENARIO(result == RULE_REJECT);
}

QUESTION("would return == RULE_SYNTAX if o.line[0] is anything and o.line[0] not in {66, 98}")
{
    EACH (LINE[0], -128, 127)
        if (g.LINE[0] != 'B' && g.LINE[0] != 'b')
            SCENARIO(result == RULE_SYNTAX);
}

/* An exclamation mark after the number lifts a hold. */
QUESTION("might return == RULE_ACCEPT if o.line[7] is anything and o.line[8] == 33")
{
    g.LINE[8] = '!';
    EACH (LINE[7], -128, 127)
        SCENARIO(result == RULE_ACCEPT);
}

QUESTION("would return == RULE_SYNTAX if o.line[7] in {1..127} and o.line[8] == 65 and o.line[9] == 65 and o.line[10] == 65"
         " and o.line[11] == 65")
{
    memset(g.LINE + 8, 'A', 4);
    EACH (LINE[7], 1, 127)
        SCENARIO(result == RULE_SYNTAX);
}

QUESTION("might fails if o.line[0] is anything and o.line[1] is anything")
{
    EACH (LINE[0], -128, 127)
        EACH (LINE[1], -128, 127)
            FAILS(1);
}
