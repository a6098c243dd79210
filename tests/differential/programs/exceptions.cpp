/* Exceptions: caught by type, by base class and by dots, thrown again, cleaned up on the way; those nobody catches.
 *
 * only: n = 0 .. 9
 */
#include <stdexcept>

namespace road {
struct Trouble {
    int code;
    explicit Trouble(int c) : code(c) {}
    virtual ~Trouble() = default;
};
struct Ice : Trouble {
    Ice() : Trouble(40) {}
};
} // namespace road

struct Cleaner {
    int &done;
    explicit Cleaner(int &d) : done(d) {}
    ~Cleaner() { done += 1; }
};

static int risky(int n, int &done)
{
    Cleaner cleaner(done);
    switch (n) {
    case 1: throw 17;
    case 2: throw road::Ice();
    case 3: throw std::out_of_range("far");
    case 4: throw 2.5;
    case 5: throw road::Trouble(3);
    case 6: throw std::bad_alloc();
    default: return n;
    }
}

static int calm(int n) noexcept
{
    int done = 0;
    return n == 8 ? risky(5, done) : 0;
}

int decide(unsigned char n)
{
    int done = 0;
    try {
        try {
            return risky(n, done) + calm(n);
        } catch (int number) {
            return number + done;
        } catch (const road::Trouble &trouble) {
            if (trouble.code == 3)
                throw;
            return trouble.code + done;
        }
    } catch (const std::logic_error &) {
        return 200 + done;
    } catch (const road::Ice &) {
        return 300;
    } catch (double) {
        return 400 + done;
    }
}
