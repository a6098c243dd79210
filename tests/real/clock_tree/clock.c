/*
 * Clock tree: picks the fastest clock that supply and oscillators allow.
 */
#include "device.h"

#define HSI_MHZ 8u
#define HSE_MHZ 12u

typedef enum { CLK_HSI = 0, CLK_HSE = 1, CLK_PLL = 2 } clk_source_t;

typedef struct {
    clk_source_t source;
    uint32_t     mhz;
    uint8_t      wait_states;
} clk_plan_t;

static uint8_t failures; /* of the crystal, since power-up */

static void set_bits(volatile uint32_t *reg, uint32_t mask, uint32_t value)
{
    *reg = (*reg & ~mask) | (value & mask);
}

static uint8_t wait_states(uint32_t mhz)
{
    if (mhz <= 24)
        return 0;
    return mhz <= 48 ? 1 : 2;
}

static uint32_t pll_multiplier(uint32_t in_mhz, uint16_t mv)
{
    uint32_t most = mv >= 2700 ? 72 : mv >= 2400 ? 48 : 24;
    uint32_t mul = most / in_mhz;

    return mul > 16 ? 16 : mul;
}

clk_plan_t clock_select(uint8_t want_pll)
{
    clk_plan_t plan = { CLK_HSI, HSI_MHZ, 0 };
    uint32_t in = HSI_MHZ;
    uint32_t mul;

    if (RCC->CR & RCC_CR_HSERDY) {
        plan.source = CLK_HSE;
        plan.mhz = in = HSE_MHZ;
    } else if (RCC->CR & RCC_CR_HSEON) {
        if (failures < 255)
            failures++;
    }

    if (want_pll && failures < 3) {
        mul = pll_multiplier(in, SUPPLY_MV);
        if (mul >= 2) {
            plan.source = CLK_PLL;
            plan.mhz = in * mul;
            set_bits(&RCC->CFGR, RCC_CFGR_MUL, (mul - 2) << RCC_CFGR_MUL_Pos);
            set_bits(&RCC->CR, RCC_CR_PLLON, RCC_CR_PLLON);
        }
    }
    plan.wait_states = wait_states(plan.mhz);
    FLASH_ACR = plan.wait_states;
    set_bits(&RCC->CFGR, RCC_CFGR_SW, plan.source);
    return plan;
}
