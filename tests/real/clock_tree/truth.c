#include <stdint.h>

struct given {
    uint32_t cr;
    uint16_t supply_mv;
    uint8_t want_pll, failures;
};
static const struct given FACT = { 0x10003, 3300, 1, 0 };

#include <sys/mman.h>

#include "../truth.h"
#include "clock.c"

static clk_plan_t plan;

static void restore(void)
{
    static void *registers;

    if (registers == NULL)
        registers = mmap((void *)(uintptr_t)RCC_BASE, 0x2000, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    RCC->CR = g.cr;
    RCC->CFGR = 0;
    SUPPLY_MV = g.supply_mv;
    failures = g.failures;
}

static void call(void)
{
    plan = clock_select(g.want_pll);
}

QUESTION("did fails")
{
    FAILS(1);
}

QUESTION("did return.source == CLK_PLL and failures' == 1")
{
    SCENARIO(plan.source == CLK_PLL && failures == 1);
}

QUESTION("would return.source == CLK_PLL if failures in {0, 1}")
{
    EACH (failures, 0, 1)
        SCENARIO(plan.source == CLK_PLL);
}

QUESTION("might return.source == CLK_HSI if failures is anything")
{
    EACH (failures, 0, 255)
        SCENARIO(plan.source == CLK_HSI);
}

QUESTION("would return.mhz in {8, 72} if failures is anything and want_pll is anything")
{
    EACH (failures, 0, 255)
        EACH (want_pll, 0, 255)
            SCENARIO(plan.mhz == 8 || plan.mhz == 72);
}

QUESTION("would return.source == CLK_HSI after 3 steps held if want_pll in {2..255}")
{
    EACH (want_pll, 2, 255)
        AFTER(3, plan.source == CLK_HSI);
}

QUESTION("might fails if failures is anything")
{
    EACH (failures, 0, 255)
        FAILS(1);
}

QUESTION("would return.mhz <= 48 if SUPPLY_MV in {0..2699}")
{
    EACH (supply_mv, 0, 2699)
        SCENARIO(plan.mhz <= 48);
}

QUESTION("might return.wait_states == 2 and FLASH_ACR' != 2 if SUPPLY_MV is anything and failures in {0..3}")
{
    EACH (supply_mv, 0, 65535)
        EACH (failures, 0, 3)
            SCENARIO(plan.wait_states == 2 && FLASH_ACR != 2);
}

QUESTION("would return.source == CLK_PLL and RCC_CR' >= 16777216 if RCC_CR in {131072..196607} and want_pll in {1..3}")
{
    EACH (cr, 131072, 196607)
        EACH (want_pll, 1, 3)
            SCENARIO(plan.source == CLK_PLL && RCC->CR >= 16777216);
}

QUESTION("might RCC_CFGR' == 1048578 if RCC_CR in {131072..196607} and SUPPLY_MV in {2300..2800}")
{
    EACH (cr, 131072, 196607)
        EACH (supply_mv, 2300, 2800)
            SCENARIO(RCC->CFGR == 1048578);
}
