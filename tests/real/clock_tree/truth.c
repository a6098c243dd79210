#include <stdint.h>

struct given {
    uint8_t want_pll, failures;
};
static const struct given FACT = { 1, 0 };

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
    RCC->CR = RCC_CR_HSION | RCC_CR_HSIRDY | RCC_CR_HSEON;
    RCC->CFGR = 0;
    SUPPLY_MV = 3300;
    failures = g.failures;
}

static void call(void)
{
    plan = clock_select(g.want_pll);
}

NOT_YET("what lies at a fixed address is not known, and the manifest cannot map it yet",
      "did fails")
{
    FAILS(1);
}

NOT_YET("what lies at a fixed address is not known, and the manifest cannot map it yet",
      "did return.source == CLK_PLL and failures' == 1")
{
    SCENARIO(plan.source == CLK_PLL && failures == 1);
}

NOT_YET("what lies at a fixed address is not known, and the manifest cannot map it yet",
      "would return.source == CLK_PLL if failures in {0, 1}")
{
    EACH (failures, 0, 1)
        SCENARIO(plan.source == CLK_PLL);
}

NOT_YET("what lies at a fixed address is not known, and the manifest cannot map it yet",
      "might return.source == CLK_HSI if failures is anything")
{
    EACH (failures, 0, 255)
        SCENARIO(plan.source == CLK_HSI);
}

NOT_YET("what lies at a fixed address is not known, and the manifest cannot map it yet",
      "would return.mhz in {8, 72} if failures is anything and want_pll is anything")
{
    EACH (failures, 0, 255)
        EACH (want_pll, 0, 255)
            SCENARIO(plan.mhz == 8 || plan.mhz == 72);
}

NOT_YET("what lies at a fixed address is not known, and the manifest cannot map it yet",
      "would return.source == CLK_HSI after 3 steps if want_pll in {2..255}")
{
    EACH (want_pll, 2, 255)
        AFTER(3, plan.source == CLK_HSI);
}

NOT_YET("what lies at a fixed address is not known, and the manifest cannot map it yet",
      "might fails if failures is anything")
{
    EACH (failures, 0, 255)
        FAILS(1);
}
