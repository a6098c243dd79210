// The microwave operator: the same rules as in C next door, as a class whose policy can be exchanged.

namespace kitchen {

enum class Action { START, CANCEL, OPEN, CLOSE, NOTHING };

struct Oven {
    bool error;   // an error is shown
    bool closed;  // the door is closed
    bool heat;    // it is heating
    bool running; // the timer is running
};

struct Memory {
    bool started; // the operator has started a heating
};

class Policy {
public:
    virtual ~Policy() = default;
    virtual Action next(const Oven &oven, Memory &memory) const = 0;
};

class Careful final : public Policy {
public:
    Action next(const Oven &oven, Memory &memory) const override
    {
        if (!oven.closed && oven.heat)
            return Action::CLOSE;
        if (oven.error)
            return Action::CANCEL;
        if (!oven.closed)
            return Action::CLOSE;
        if (oven.running)
            return Action::NOTHING;
        memory.started = !memory.started;
        return memory.started ? Action::START : Action::OPEN;
    }
};

class Operator {
public:
    explicit Operator(const Policy &policy) : policy_(policy) {}
    Action decide(const Oven &oven, Memory &memory) const { return policy_.next(oven, memory); }

private:
    const Policy &policy_;
};

void operate(const Oven &oven, Memory &memory, Action &action)
{
    const Careful careful;
    action = Operator(careful).decide(oven, memory);
}

} // namespace kitchen
