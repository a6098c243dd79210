/* Virtual calls: through a reference and a pointer, overridden or not, with two bases, and chosen by the inputs.
 *
 * try: which = 0, 1, 2; x = -3, 4
 */
struct Shape {
    virtual ~Shape() = default;
    virtual int area(int x) const { return x; }
    int twice(int x) const { return 2 * area(x); }
};
struct Named {
    virtual ~Named() = default;
    virtual int name() const { return 7; }
};
struct Square : Shape {
    int area(int x) const override { return x > 0 ? 100 : -100; }
};
struct Both : Shape, Named {
    int area(int x) const override { return x + name(); }
    int name() const override { return 9; }
};

int decide(unsigned char which, short x)
{
    Shape plain;
    Square square;
    Both both;
    const Shape *chosen = which == 0 ? &plain : which == 1 ? static_cast<const Shape *>(&square) : &both;
    const Named &named = both;
    return chosen->twice(x) + named.name();
}
