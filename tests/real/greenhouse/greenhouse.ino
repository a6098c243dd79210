// Greenhouse: waters the tomatoes and opens the roof.
//
// Soil probe on A0 (dry = high), thermistor on A1, float switch of the tank on 2, pump relay on 7 (active low),
// roof motor: PWM on 9, direction on 8.
//
// 2019-05-02  first version
// 2019-06-11  pump stopped forever when the tank ran dry once: now retries
// 2020-04-19  roof hysteresis, was hunting in the evening sun

const byte PIN_TANK = 2;
const byte PIN_PUMP = 7;
const byte PIN_ROOF_DIR = 8;
const byte PIN_ROOF_PWM = 9;

const int DRY = 620;          // probe above this: soil is dry
const int WET = 480;
const int WARM = 540;         // about 28 C
const int COOL = 500;

const unsigned long PUMP_MAX = 20000UL;    // ms
const unsigned long PUMP_REST = 60000UL;

int soil, heat;               // last readings, smoothed
boolean pumping = false;
boolean resting = false;
boolean roofOpen = false;
unsigned long pumpSince = 0;
byte dryTanks = 0;            // how often the tank was found empty

int smooth(int old, int fresh) {
  return (old * 3 + fresh) / 4;
}

void pump(boolean on) {
  if (on && !pumping)
    pumpSince = millis();
  pumping = on;
  digitalWrite(PIN_PUMP, on ? LOW : HIGH);
}

void roof(boolean open) {
  if (open == roofOpen)
    return;
  roofOpen = open;
  digitalWrite(PIN_ROOF_DIR, open ? HIGH : LOW);
  analogWrite(PIN_ROOF_PWM, 180);
}

void setup() {
  pinMode(PIN_TANK, INPUT_PULLUP);
  pinMode(PIN_PUMP, OUTPUT);
  pinMode(PIN_ROOF_DIR, OUTPUT);
  soil = analogRead(A0);
  heat = analogRead(A1);
  pump(false);
}

void loop() {
  soil = smooth(soil, analogRead(A0));
  heat = smooth(heat, analogRead(A1));
  boolean tank = digitalRead(PIN_TANK) == HIGH;
  unsigned long now = millis();

  if (pumping) {
    if (!tank) {
      dryTanks++;
      pump(false);
      resting = true;
    } else if (now - pumpSince >= PUMP_MAX) {
      pump(false);
      resting = true;
    } else if (soil <= WET) {
      pump(false);
    }
  } else if (resting) {
    if (now - pumpSince >= PUMP_REST)
      resting = false;
  } else if (soil > DRY && tank && dryTanks < 5) {
    pump(true);
  }

  if (heat > WARM)
    roof(true);
  else if (heat < COOL)
    roof(false);
  delay(50);
}
