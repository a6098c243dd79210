/* Registers of the clock controller, after chapter 7 of the reference manual. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

#define __IO volatile

typedef struct {
    __IO uint32_t CR;     /* 0x00 control */
    __IO uint32_t CFGR;   /* 0x04 configuration */
    __IO uint32_t CIR;    /* 0x08 interrupts */
    __IO uint32_t CSR;    /* 0x0C status */
} RCC_TypeDef;

#define RCC_BASE        0x40021000u
#define RCC             ((RCC_TypeDef *)RCC_BASE)

#define RCC_CR_HSION    (1u << 0)
#define RCC_CR_HSIRDY   (1u << 1)
#define RCC_CR_HSEON    (1u << 16)
#define RCC_CR_HSERDY   (1u << 17)
#define RCC_CR_PLLON    (1u << 24)
#define RCC_CR_PLLRDY   (1u << 25)
#define RCC_CFGR_SW     0x3u
#define RCC_CFGR_MUL_Pos 18
#define RCC_CFGR_MUL    (0xFu << RCC_CFGR_MUL_Pos)

#define FLASH_ACR       (*(volatile uint32_t *)0x40022000u)
#define SUPPLY_MV       (*(volatile uint16_t *)0x40022010u)

#endif
