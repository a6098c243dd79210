/* Decisions that are not set: one that nobody wrote, or that came along unset when a whole struct was copied, has no
 * value; one that an uninitialised variable was stored into is a failure.
 * try: what = 0, 1
 * only: what = 0 .. 3
 */
struct plan { int move; char gear; short speed; };

void decide(int what, struct plan *plan)
{
    struct plan draft;
    short unset;
    draft.move = what;
    if (what == 1)
        *plan = draft;
    else
        plan->move = 7;
    if (what == 2)
        plan->speed = unset;
    if (what == 3)
        plan->gear = draft.gear;
}
