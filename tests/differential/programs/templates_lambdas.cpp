/* Templates, lambdas with captures, constexpr, enum class, namespaces, overloads and default arguments.
 *
 * try: mode = STOP, GO; x = -1, 0, 6
 */
namespace deep {
namespace inside {
enum class Mode : unsigned char { STOP, GO = 4 };
}
} // namespace deep

template <int N> constexpr int power(int base) { return base * power<N - 1>(base); }
template <> constexpr int power<0>(int) { return 1; }

template <typename T> T larger(T a, T b) { return a < b ? b : a; }
static int scaled(int x, int by = 3) { return x * by; }
static double scaled(double x) { return x / 2; }

template <typename F> static int applied(F f, int x) { return f(x) + f(x + 1); }

int decide(deep::inside::Mode mode, signed char x)
{
    int sum = 0;
    auto add = [&sum, x](int by) {
        sum += by;
        return sum > x;
    };
    static_assert(power<3>(2) == 8, "computed while compiling");
    int found = applied(add, scaled(x));
    if (mode == deep::inside::Mode::GO)
        return larger(found, 0) + power<3>(2);
    return static_cast<int>(scaled(static_cast<double>(larger<short>(x, 2))));
}
