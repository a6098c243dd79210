/* Classes: constructors and destructors in their order, base classes, references, operators, static members.
 *
 * try: seen.speed = -2, 0, 7; seen.lane = 0, 3; brake = 0
 */
namespace road {

struct Thing {
    int lane;
};

class Seen : public Thing {
public:
    int speed;
    static const int limit = 5;
    bool fast() const { return speed > limit; }
};

class Guard {
public:
    explicit Guard(int &level) : level_(level) { level_ += 1; }
    ~Guard() { level_ *= 2; }
    Guard &operator+=(int by)
    {
        level_ += by;
        return *this;
    }

private:
    int &level_;
};

} // namespace road

int decide(const road::Seen &seen, int &brake)
{
    int level = seen.lane == 3 ? 10 : 0;
    {
        road::Guard guard(level);
        road::Guard inner(level);
        if (seen.fast())
            guard += 100;
    }
    brake = level;
    return level > 100;
}
