/* An infusion pump that warms what it infuses. It is called ten times a second. */

#ifndef PUMP_H
#define PUMP_H

#include <stdbool.h>

enum pump_action { PUMP_STOP, PUMP_KEEP_OPEN, PUMP_INFUSE };
enum pump_alarm { ALARM_NONE, ALARM_DOOR, ALARM_AIR, ALARM_OCCLUSION, ALARM_HOT };

struct pump_inputs {
    bool door_open;
    bool volume_done;   /* all that was prescribed has been infused */
    float temperature;  /* degrees C, of the fluid */
    float pressure;     /* kPa, in the line */
    int bubble;         /* ul, the largest bubble that was seen */
};

struct pump_outputs {
    enum pump_action action;
    enum pump_alarm alarm;
    bool heater;
};

void pump_tick(const struct pump_inputs *in, struct pump_outputs *out);

#endif
