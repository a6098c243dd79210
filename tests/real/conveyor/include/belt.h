#ifndef BELT_H
#define BELT_H

#include <stdbool.h>

typedef struct {
    int  speed_mm_s;
    int  load_g;
    bool estop;
    bool gate_open;
} belt_inputs_t;

typedef enum { BELT_STOP, BELT_CREEP, BELT_RUN } belt_order_t;

/* drive/drive.c */
void drive_reset(void);
belt_order_t drive_decide(const belt_inputs_t *in, int load_class);

/* scale/scale.c */
int scale_classify(int load_g);
void scale_reset(void);

/* control.c */
belt_order_t control_cycle(const belt_inputs_t *in);

#endif
