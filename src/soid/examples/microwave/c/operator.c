/* The microwave operator: the same rules as the SMT-LIB paths next door, as the program that runs. */

#include <stdbool.h>

enum action { START, CANCEL, OPEN, CLOSE, NOTHING };

struct oven {
    bool error;   /* an error is shown */
    bool closed;  /* the door is closed */
    bool heat;    /* it is heating */
    bool running; /* the timer is running */
};

struct memory {
    bool started; /* the operator has started a heating */
};

static enum action next_action(const struct oven *oven, struct memory *memory)
{
    if (!oven->closed && oven->heat)
        return CLOSE;
    if (oven->error)
        return CANCEL;
    if (!oven->closed)
        return CLOSE;
    if (oven->running)
        return NOTHING;
    if (memory->started) {
        memory->started = false;
        return OPEN;
    }
    memory->started = true;
    return START;
}

void operate(const struct oven *oven, struct memory *memory, enum action *action)
{
    *action = next_action(oven, memory);
}
