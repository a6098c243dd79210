/*
 * failsafe.h - loss-of-link and low-battery failsafe of the flight controller
 */
#ifndef FAILSAFE_H
#define FAILSAFE_H

#include <stdbool.h>
#include <stdint.h>

#define RX_CHANNELS        6
#define RX_MIN_US          885   /* below this a pulse is garbage */
#define RX_MAX_US          2115
#define RX_MID_US          1500
#define STICK_LOW_US       1050

#define FS_STAGE1_MS       300u  /* no good frame for this long: hold */
#define FS_STAGE2_MS       1500u /* still none: land */
#define FS_RECOVERY_FRAMES 4     /* good frames in a row that end a failsafe */
#define FS_LAND_MAX_TICKS  200

#define VBAT_WARN_DV       108   /* 0.1 V */
#define VBAT_CRIT_DV       99

typedef enum {
    FS_IDLE = 0,
    FS_HOLD,
    FS_LANDING,
    FS_DISARMED
} failsafe_phase_e;

enum {
    FLAG_ARMED    = 1 << 0,
    FLAG_RX_LOST  = 1 << 1,
    FLAG_LOW_BATT = 1 << 2
};

extern uint16_t rx_us[RX_CHANNELS];
extern uint8_t  vbat_dv;
extern uint16_t throttle_out;
extern uint8_t  beeper;

void failsafe_update(void);

/* supplied by the board support package */
uint32_t millis(void);
bool     rx_frame_complete(void);

#endif
