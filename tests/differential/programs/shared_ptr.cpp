/* std::shared_ptr counts atomically; the object ends with its last owner, and a weak owner sees that.
 */
#include <memory>

namespace {
int ended = 0;
struct Part {
    int size;
    explicit Part(int n) : size(n) {}
    ~Part() { ended += size; }
};
}

extern "C" int decide(unsigned char n)
{
    ended = 0;
    std::weak_ptr<Part> seen;
    int uses = 0;
    {
        std::shared_ptr<Part> first = std::make_shared<Part>(n), second;
        seen = first;
        if (n > 1)
            second = first;
        uses = (int)first.use_count();
        first.reset();
        if (auto locked = seen.lock())
            uses += 10 * locked->size;
    }
    return uses * 1000 + ended * 2 + seen.expired();
}
