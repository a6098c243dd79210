#include "engine_sup.h"

struct given {
    ExtU_engine_sup_T U;
    DW_engine_sup_T DW;
    uint8_T fuel_mode;
};
static const struct given FACT = { { 2100, 35, 117, 1, 0 }, { 380, 1023, 1, 3, 2 }, 2 };

#include "../truth.h"
#include "engine_sup.c"

#define Y engine_sup_Y

static void restore(void)
{
    engine_sup_DW = g.DW;
    engine_sup_B.Fuel_Mode = g.fuel_mode;
}

static void call(void)
{
    engine_sup_U = g.U;
    engine_sup_step();
}

QUESTION("did engine_sup_Y.Fuel_Cmd == 341 and engine_sup_Y.Lamp == 1 and engine_sup_DW.is_Running' == LIMP")
{
    SCENARIO(Y.Fuel_Cmd == 341 && Y.Lamp == 1 && engine_sup_DW.is_Running == 3);
}

QUESTION("would engine_sup_Y.Fuel_Cmd <= 300 if engine_sup_U.Throttle_pct is anything")
{
    EACH (U.Throttle_pct, 0, 100)
        SCENARIO(Y.Fuel_Cmd <= 300);
}

QUESTION("would engine_sup_Y.Fuel_Cmd <= 300 after 2 steps held if engine_sup_U.Throttle_pct is anything")
{
    EACH (U.Throttle_pct, 0, 100)
        AFTER(2, Y.Fuel_Cmd <= 300);
}

QUESTION("would engine_sup_Y.Mode == RUNNING throughout 3 steps held if engine_sup_U.Temp_degC is anything"
         " and engine_sup_U.Throttle_pct is anything")
{
    EACH (U.Temp_degC, -40, 150)
        EACH (U.Throttle_pct, 0, 100)
            THROUGHOUT(3, Y.Mode == 3);
}

QUESTION("might engine_sup_Y.Lamp == 0 if engine_sup_U.Speed_rpm in {0..700} and engine_sup_U.Temp_degC in {100..120}")
{
    EACH (U.Speed_rpm, 0, 700)
        EACH (U.Temp_degC, 100, 120)
            SCENARIO(Y.Lamp == 0);
}

QUESTION("would engine_sup_Y.Lamp == 1 if engine_sup_U.Speed_rpm in {0..299} and engine_sup_U.Temp_degC is anything")
{
    EACH (U.Speed_rpm, 0, 299)
        EACH (U.Temp_degC, -40, 150)
            SCENARIO(Y.Lamp == 1);
}

QUESTION("would engine_sup_Y.Fuel_Cmd == 0 if engine_sup_DW.is_c3_engine_sup in {OFF, FAULT} and"
         " engine_sup_U.Key_On is anything and engine_sup_U.Crank_Req is anything and engine_sup_DW.UnitDelay_DSTATE is anything")
{
    EACH (U.Key_On, 0, 1)
        EACH (U.Crank_Req, 0, 1)
            EACH (DW.UnitDelay_DSTATE, 0, 1000) {
                g.DW.is_c3_engine_sup = 1;
                SCENARIO(Y.Fuel_Cmd == 0);
                g.DW.is_c3_engine_sup = 4;
                SCENARIO(Y.Fuel_Cmd == 0);
            }
}

/* Key off while running: the mode changes, and the fuel of the last mode flows for one more step. */
QUESTION("might engine_sup_Y.Fuel_Cmd > 0 if engine_sup_U.Key_On == 0 and engine_sup_U.Throttle_pct is anything")
{
    g.U.Key_On = 0;
    EACH (U.Throttle_pct, 0, 100)
        SCENARIO(Y.Fuel_Cmd > 0);
}

QUESTION("might engine_sup_Y.Fuel_Cmd > 0 after 2 steps held if engine_sup_U.Key_On == 0 and engine_sup_U.Throttle_pct is anything")
{
    g.U.Key_On = 0;
    EACH (U.Throttle_pct, 0, 100)
        AFTER(2, Y.Fuel_Cmd > 0);
}

QUESTION("might fails if engine_sup_U.Speed_rpm in {-32768..-32700} and engine_sup_DW.UnitDelay_DSTATE is anything")
{
    EACH (U.Speed_rpm, -32768, -32700)
        EACH (DW.UnitDelay_DSTATE, 0, 1000)
            FAILS(1);
}
