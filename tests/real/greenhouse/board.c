/* The board's outputs, for runs without a board: what was written last to each pin. */
#include "Arduino.h"

uint8_t level[20];
int duty[20];

void pinMode(uint8_t pin, uint8_t mode) { (void)pin; (void)mode; }
void digitalWrite(uint8_t pin, uint8_t val) { level[pin] = val; }
void analogWrite(uint8_t pin, int val) { duty[pin] = val; }
void delay(unsigned long ms) { (void)ms; }
