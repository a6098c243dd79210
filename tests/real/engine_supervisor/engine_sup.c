/*
 * File: engine_sup.c
 *
 * Code generated for model 'engine_sup'.
 *
 * Model version                  : 4.17
 * Target selection               : ert.tlc
 */
#include "engine_sup.h"
#include <string.h>

/* Named constants for Chart: '<Root>/Supervisor' */
#define engine_sup_IN_NO_ACTIVE_CHILD  ((uint8_T)0U)
#define engine_sup_IN_Off              ((uint8_T)1U)
#define engine_sup_IN_Cranking         ((uint8_T)2U)
#define engine_sup_IN_Running          ((uint8_T)3U)
#define engine_sup_IN_Fault            ((uint8_T)4U)
#define engine_sup_IN_Warmup           ((uint8_T)1U)
#define engine_sup_IN_Normal           ((uint8_T)2U)
#define engine_sup_IN_Limp             ((uint8_T)3U)

/* Block signals (default storage) */
B_engine_sup_T engine_sup_B;

/* Block states (default storage) */
DW_engine_sup_T engine_sup_DW;

/* External inputs (root inport signals with default storage) */
ExtU_engine_sup_T engine_sup_U;

/* External outputs (root outports fed by signals with default storage) */
ExtY_engine_sup_T engine_sup_Y;

/* Lookup: fuel by throttle, '<S1>/1-D Lookup Table' */
static const int16_T engine_sup_ConstP_tableData[6] = { 0, 120, 260, 410, 640, 1000 };

static int16_T look1_is16lu(int16_T u0)
{
  int32_T frac;
  int32_T idx;

  if (u0 <= 0) {
    return engine_sup_ConstP_tableData[0];
  }

  if (u0 >= 100) {
    return engine_sup_ConstP_tableData[5];
  }

  idx = u0 / 20;
  frac = u0 - idx * 20;
  return (int16_T)(engine_sup_ConstP_tableData[idx] +
                   (engine_sup_ConstP_tableData[idx + 1] -
                    engine_sup_ConstP_tableData[idx]) * frac / 20);
}

/* Function for Chart: '<Root>/Supervisor' */
static void engine_sup_Running(void)
{
  /* During 'Running': '<S2>:14' */
  if (!engine_sup_U.Key_On) {
    /* Transition: '<S2>:21' */
    engine_sup_DW.is_Running = engine_sup_IN_NO_ACTIVE_CHILD;
    engine_sup_DW.is_c3_engine_sup = engine_sup_IN_Off;
  } else if (engine_sup_U.Speed_rpm < 300) {
    /* Transition: '<S2>:22' */
    engine_sup_DW.is_Running = engine_sup_IN_NO_ACTIVE_CHILD;
    engine_sup_DW.is_c3_engine_sup = engine_sup_IN_Fault;
    engine_sup_DW.temporalCounter_i1 = 0U;
  } else {
    switch (engine_sup_DW.is_Running) {
     case engine_sup_IN_Warmup:
      /* During 'Warmup': '<S2>:15' */
      engine_sup_B.Fuel_Mode = 1U;
      if (engine_sup_U.Temp_degC >= 60) {
        /* Transition: '<S2>:25' */
        engine_sup_DW.is_Running = engine_sup_IN_Normal;
      } else if (engine_sup_DW.temporalCounter_i1 >= 500U) {
        /* Transition: '<S2>:26' */
        engine_sup_DW.is_Running = engine_sup_IN_Limp;
      }
      break;

     case engine_sup_IN_Normal:
      /* During 'Normal': '<S2>:16' */
      engine_sup_B.Fuel_Mode = 2U;
      if (engine_sup_U.Temp_degC > 115) {
        /* Transition: '<S2>:27' */
        engine_sup_DW.is_Running = engine_sup_IN_Limp;
      }
      break;

     default:
      /* During 'Limp': '<S2>:17' */
      engine_sup_B.Fuel_Mode = 3U;
      if (engine_sup_U.Temp_degC < 100 && engine_sup_U.Temp_degC >= 60) {
        /* Transition: '<S2>:28' */
        engine_sup_DW.is_Running = engine_sup_IN_Normal;
      }
      break;
    }
  }
}

/* Model step function */
void engine_sup_step(void)
{
  int32_T tmp;

  /* Chart: '<Root>/Supervisor' */
  if (engine_sup_DW.temporalCounter_i1 < 1023U) {
    engine_sup_DW.temporalCounter_i1++;
  }

  engine_sup_Y.Starter = 0U;
  if (engine_sup_DW.is_active_c3_engine_sup == 0U) {
    /* Entry: Supervisor */
    engine_sup_DW.is_active_c3_engine_sup = 1U;
    engine_sup_DW.is_c3_engine_sup = engine_sup_IN_Off;
  } else {
    switch (engine_sup_DW.is_c3_engine_sup) {
     case engine_sup_IN_Off:
      engine_sup_B.Fuel_Mode = 0U;
      if (engine_sup_U.Key_On && engine_sup_U.Crank_Req) {
        engine_sup_DW.is_c3_engine_sup = engine_sup_IN_Cranking;
        engine_sup_DW.temporalCounter_i1 = 0U;
      }
      break;

     case engine_sup_IN_Cranking:
      engine_sup_B.Fuel_Mode = 1U;
      engine_sup_Y.Starter = 1U;
      if (!engine_sup_U.Key_On) {
        engine_sup_DW.is_c3_engine_sup = engine_sup_IN_Off;
      } else if (engine_sup_U.Speed_rpm > 550) {
        engine_sup_DW.is_c3_engine_sup = engine_sup_IN_Running;
        engine_sup_DW.is_Running = engine_sup_IN_Warmup;
        engine_sup_DW.temporalCounter_i1 = 0U;
      } else if (engine_sup_DW.temporalCounter_i1 >= 100U) {
        engine_sup_DW.is_c3_engine_sup = engine_sup_IN_Fault;
        engine_sup_DW.temporalCounter_i1 = 0U;
      }
      break;

     case engine_sup_IN_Running:
      engine_sup_Running();
      break;

     default:
      /* During 'Fault': '<S2>:30' */
      engine_sup_B.Fuel_Mode = 0U;
      if (!engine_sup_U.Key_On && engine_sup_DW.temporalCounter_i1 >= 20U) {
        engine_sup_DW.is_c3_engine_sup = engine_sup_IN_Off;
      }
      break;
    }
  }

  /* Outputs for Atomic SubSystem: '<Root>/Fuel' */
  /* Sum: '<S1>/Sum1' incorporates: Lookup_n-D: '<S1>/1-D Lookup Table' */
  engine_sup_B.Sum1 = (int16_T)(look1_is16lu(engine_sup_U.Throttle_pct) -
    engine_sup_DW.UnitDelay_DSTATE);

  /* Gain: '<S1>/Gain' */
  engine_sup_B.Gain = (int16_T)(engine_sup_B.Sum1 >> 2);

  /* Saturate: '<S1>/Saturation' */
  tmp = engine_sup_DW.UnitDelay_DSTATE + engine_sup_B.Gain;
  if (tmp > 1000) {
    engine_sup_B.Saturation = 1000;
  } else if (tmp < 0) {
    engine_sup_B.Saturation = 0;
  } else {
    engine_sup_B.Saturation = (int16_T)tmp;
  }

  /* RelationalOperator: '<S1>/Relational Operator' */
  engine_sup_B.RelationalOperator = (engine_sup_U.Temp_degC > 110);

  /* Logic: '<S1>/Logical Operator' */
  engine_sup_B.LogicalOperator = (engine_sup_B.RelationalOperator ||
    (engine_sup_DW.is_c3_engine_sup == engine_sup_IN_Fault));

  /* MultiPortSwitch: '<S1>/Multiport Switch' */
  switch (engine_sup_B.Fuel_Mode) {
   case 0:
    engine_sup_Y.Fuel_Cmd = 0;
    break;

   case 1:
    engine_sup_Y.Fuel_Cmd = (int16_T)(engine_sup_B.Saturation + 80);
    break;

   case 2:
    engine_sup_Y.Fuel_Cmd = engine_sup_B.Saturation;
    break;

   default:
    engine_sup_Y.Fuel_Cmd = (int16_T)(engine_sup_B.Saturation < 300 ?
      engine_sup_B.Saturation : 300);
    break;
  }

  /* Outport: '<Root>/Mode' */
  engine_sup_Y.Mode = engine_sup_DW.is_c3_engine_sup;
  engine_sup_Y.Lamp = engine_sup_B.LogicalOperator;

  /* Update for UnitDelay: '<S1>/Unit Delay' */
  engine_sup_DW.UnitDelay_DSTATE = engine_sup_B.Saturation;
}

/* Model initialize function */
void engine_sup_initialize(void)
{
  (void) memset(&engine_sup_B, 0, sizeof(B_engine_sup_T));
  (void) memset((void *)&engine_sup_DW, 0, sizeof(DW_engine_sup_T));
  (void) memset(&engine_sup_U, 0, sizeof(ExtU_engine_sup_T));
  (void) memset(&engine_sup_Y, 0, sizeof(ExtY_engine_sup_T));
}

/*
 * File trailer for generated code.
 *
 * [EOF]
 */
