#include <Arduino.h>
#line 1 "greenhouse.ino"
int smooth(int old, int fresh);
void pump(boolean on);
void roof(boolean open);
void setup();
void loop();
#line 1 "greenhouse.ino"
#include "../greenhouse.ino"
