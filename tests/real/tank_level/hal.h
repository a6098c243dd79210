/* The part of the vendor's library that the sensor uses; it comes as a binary. */
#ifndef HAL_H
#define HAL_H

#include <stdint.h>

#define HAL_OK      0
#define HAL_ERROR   1
#define HAL_BUSY    2
#define HAL_TIMEOUT 3

int hal_i2c_read(uint8_t address, uint8_t reg, uint8_t *data, uint16_t size, uint32_t timeout_ms);
void hal_gpio_write(uint8_t pin, uint8_t value);

#endif
