/*
 * rules.c - pre-trade checks of the order desk
 *
 * An order is a line of text: a verb, a quantity, and optionally a flag.
 *
 *     BUY 120        SELL 5 !        CXL 17
 *
 * Rules come from the compliance handbook, chapter 4, and are applied in its order.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef verdict_t (*rule_fn)(int qty, const char *account);

static verdict_t rule_limit(int qty, const char *account)
{
    int limit = account[0] == 'P' ? 500 : 50;

    return qty > limit ? RULE_REJECT : RULE_ACCEPT;
}

static verdict_t rule_odd_lot(int qty, const char *account)
{
    (void)account;
    return qty % 10 != 0 && qty > 100 ? RULE_HOLD : RULE_ACCEPT;
}

static verdict_t rule_account(int qty, const char *account)
{
    int number = atoi(account + 1);

    (void)qty;
    return number == 0 || number > 40 ? RULE_REJECT : RULE_ACCEPT;
}

static const struct {
    const char *verb;
    int needs_qty;
    rule_fn rules[3];
} verbs[] = {
    { "BUY",  1, { rule_account, rule_limit, rule_odd_lot } },
    { "SELL", 1, { rule_account, rule_odd_lot, NULL } },
    { "CXL",  1, { rule_account, NULL, NULL } },
    { "PING", 0, { NULL, NULL, NULL } },
};

static const char *skip_blanks(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* Copies one word in upper case; NULL if it does not fit. */
static const char *next_word(const char *p, char word[MAX_TOK])
{
    size_t n = 0;

    p = skip_blanks(p);
    while (*p != '\0' && !isspace((unsigned char)*p)) {
        if (n + 1 >= MAX_TOK)
            return NULL;
        word[n++] = (char)toupper((unsigned char)*p++);
    }
    word[n] = '\0';
    return p;
}

static int parse_qty(const char *text, const char **end)
{
    char *stop;
    long value = strtol(text, &stop, 10);

    *end = stop;
    if (stop == text || value <= 0 || value > 100000)
        return -1;
    return (int)value;
}

verdict_t check_order(const struct order *o)
{
    char word[MAX_TOK];
    const char *p;
    size_t i;

    if (memchr(o->line, '\0', MAX_LINE) == NULL)
        return RULE_SYNTAX; /* not terminated */
    p = next_word(o->line, word);
    if (p == NULL || word[0] == '\0')
        return RULE_SYNTAX;

    for (i = 0; i < ARRAY_LEN(verbs); i++) {
        verdict_t worst = RULE_ACCEPT;
        int qty = 0;
        size_t r;

        if (strcmp(word, verbs[i].verb) != 0)
            continue;
        if (verbs[i].needs_qty) {
            qty = parse_qty(p, &p);
            if (qty < 0)
                return RULE_SYNTAX;
        }
        p = skip_blanks(p);
        for (r = 0; r < 3 && verbs[i].rules[r] != NULL; r++) {
            verdict_t v = verbs[i].rules[r](qty, o->account);
            if (v > worst)
                worst = v;
        }
        if (*p == '!' && worst == RULE_HOLD)
            worst = RULE_ACCEPT; /* the trader insists */
        return worst;
    }
    return RULE_SYNTAX;
}
