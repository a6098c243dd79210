/* Whether a car may enter a crossing: no one closer than ten metres, and it has signalled. */
#include <stdbool.h>

enum signal { OFF, LEFT, RIGHT };
struct agent { float pos_x; float speed; };
struct world { struct agent agents[3]; enum signal signal; float temperature; };
struct plan { bool move; float brake; int reason; };

int read_horn(void);
static int entered = 5;

static bool safe_to_enter(const struct world *w)
{
    float closest = 1000.0f;
    for (int i = 0; i < 3; i++) {
        if (w->agents[i].pos_x < closest)
            closest = w->agents[i].pos_x;
    }
    return closest > 10.0f;
}

void decide(const struct world *w, struct plan *plan, float *debug)
{
    plan->reason = 0;
    plan->move = w->signal != OFF && safe_to_enter(w);
    plan->brake = plan->move ? 0.0f : w->agents[0].speed * 0.5f;
    entered += plan->move;
    if (read_horn() > 2 || read_horn() > 2)
        plan->reason = 1;
    *debug = plan->brake;
}
