/* Brake when the car ahead is nearer than the safe distance; coast after three warnings. */
#include <stdbool.h>

enum action { GO, COAST, BRAKE };
struct car { float speed; float gap; bool warned[2]; };

static const float SAFE[2] = {2.0f, 4.5f};
static int warnings = 0;

enum action decide(const struct car *c, unsigned lane) {
  float need = SAFE[lane & 1] * c->speed;
  if (c->gap < need)
    return BRAKE;
  switch (warnings) {
    case 3: return COAST;
    default: warnings += c->warned[lane & 1] ? 1 : 0;
  }
  return GO;
}
