/*
 * File: engine_sup.h
 *
 * Code generated for model 'engine_sup'.
 *
 * Model version                  : 4.17
 * Target selection               : ert.tlc
 * Embedded hardware selection    : 32-bit Generic
 * Code generation objectives     : Execution efficiency
 */
#ifndef RTW_HEADER_engine_sup_h_
#define RTW_HEADER_engine_sup_h_

typedef signed char int8_T;
typedef unsigned char uint8_T;
typedef short int16_T;
typedef unsigned short uint16_T;
typedef int int32_T;
typedef unsigned int uint32_T;
typedef float real32_T;
typedef unsigned char boolean_T;

/* Block signals (default storage) */
typedef struct {
  int16_T Sum1;                        /* '<S1>/Sum1' */
  int16_T Gain;                        /* '<S1>/Gain' */
  int16_T Saturation;                  /* '<S1>/Saturation' */
  uint8_T Fuel_Mode;                   /* '<Root>/Supervisor' */
  boolean_T LogicalOperator;           /* '<S1>/Logical Operator' */
  boolean_T RelationalOperator;        /* '<S1>/Relational Operator' */
} B_engine_sup_T;

/* Block states (default storage) for system '<Root>' */
typedef struct {
  int16_T UnitDelay_DSTATE;            /* '<S1>/Unit Delay' */
  uint16_T temporalCounter_i1;         /* '<Root>/Supervisor' */
  uint8_T is_active_c3_engine_sup;     /* '<Root>/Supervisor' */
  uint8_T is_c3_engine_sup;            /* '<Root>/Supervisor' */
  uint8_T is_Running;                  /* '<Root>/Supervisor' */
} DW_engine_sup_T;

/* External inputs (root inport signals with default storage) */
typedef struct {
  int16_T Speed_rpm;                   /* '<Root>/Speed_rpm' */
  int16_T Throttle_pct;                /* '<Root>/Throttle_pct' */
  int16_T Temp_degC;                   /* '<Root>/Temp_degC' */
  boolean_T Key_On;                    /* '<Root>/Key_On' */
  boolean_T Crank_Req;                 /* '<Root>/Crank_Req' */
} ExtU_engine_sup_T;

/* External outputs (root outports fed by signals with default storage) */
typedef struct {
  int16_T Fuel_Cmd;                    /* '<Root>/Fuel_Cmd' */
  uint8_T Mode;                        /* '<Root>/Mode' */
  boolean_T Starter;                   /* '<Root>/Starter' */
  boolean_T Lamp;                      /* '<Root>/Lamp' */
} ExtY_engine_sup_T;

extern B_engine_sup_T engine_sup_B;
extern DW_engine_sup_T engine_sup_DW;
extern ExtU_engine_sup_T engine_sup_U;
extern ExtY_engine_sup_T engine_sup_Y;

extern void engine_sup_initialize(void);
extern void engine_sup_step(void);

#endif                                 /* RTW_HEADER_engine_sup_h_ */
