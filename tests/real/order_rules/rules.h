#ifndef RULES_H
#define RULES_H

/* Result of one rule check. */
typedef enum { RULE_ACCEPT, RULE_HOLD, RULE_REJECT, RULE_SYNTAX } verdict_t;

#define MAX_LINE  12
#define MAX_TOK   8

struct order {
    char line[MAX_LINE];  /* e.g. "BUY 120" as typed at the desk */
    char account[4];      /* "P07": class and number */
};

verdict_t check_order(const struct order *o);

#endif
