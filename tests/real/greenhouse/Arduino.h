// The part of the core's header that this sketch uses.
#ifndef Arduino_h
#define Arduino_h

#include <stdbool.h>
#include <stdint.h>

typedef bool boolean;
typedef uint8_t byte;

#define HIGH 0x1
#define LOW  0x0
#define INPUT 0x0
#define OUTPUT 0x1
#define INPUT_PULLUP 0x2
#define A0 14
#define A1 15

#define constrain(amt, low, high) ((amt) < (low) ? (low) : ((amt) > (high) ? (high) : (amt)))

#ifdef __cplusplus
extern "C" {
#endif

void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t val);
int digitalRead(uint8_t pin);
int analogRead(uint8_t pin);
void analogWrite(uint8_t pin, int val);
unsigned long millis(void);
void delay(unsigned long ms);

void setup(void);
void loop(void);

#ifdef __cplusplus
} // extern "C"
#endif
long map(long x, long in_min, long in_max, long out_min, long out_max);

#endif
