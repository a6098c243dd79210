/* The sensor's bus, for runs without a board: what the log says was on it. */
#include "hal.h"

int i2c;
uint8_t bus[2];

int hal_i2c_read(uint8_t address, uint8_t reg, uint8_t *data, uint16_t size, uint32_t timeout_ms)
{
    (void)address;
    (void)reg;
    (void)timeout_ms;
    if (i2c == HAL_OK)
        for (uint16_t i = 0; i < size; i++)
            data[i] = bus[i];
    return i2c;
}
