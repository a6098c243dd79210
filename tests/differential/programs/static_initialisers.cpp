/* What runs before the entry is called: static objects in their order, and a static of a function, made once.
 *
 * try: x = 0, 5; road::total.sum = 12; ready = 3
 */
namespace road {
struct Total {
    int sum;
    explicit Total(int start) : sum(start + 5) {}
};
static int seven() { return 7; }
int start = seven();
Total total(start);
} // namespace road

int ready = road::total.sum / 4;

static int &counter()
{
    static int *made = new int(30);
    return *made;
}

int decide(int x)
{
    counter() += 1;
    road::total.sum += x > 3;
    return counter() + ready;
}
