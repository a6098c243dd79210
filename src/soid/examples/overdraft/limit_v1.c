/* The limit of an account, first version. */

#include "overdraft.h"

static const float PREMIUM = 3500.0f; /* EUR a month: from here on an account is a premium account */

/* A part of the income, which is larger for larger incomes. */
static float by_income(float income)
{
    if (income < 900.0f)
        return 0.0f;
    if (income < 2000.0f)
        return income * 0.5f;
    if (income < PREMIUM)
        return 1000.0f + (income - 2000.0f);
    return 2500.0f + (income - PREMIUM) * 1.25f;
}

/* A tenth of what the savings do not cover. */
static float by_debts(float debts, float savings)
{
    const float owed = debts - savings;

    return owed > 0.0f ? owed * 0.1f : 0.0f;
}

/* Each month without a job costs something, and more where the account is a premium account. */
static float by_gap(int months, float income)
{
    const float rate = income < PREMIUM ? 20.0f : 40.0f;

    return rate * (float)months;
}

int limit_of(const struct applicant *applicant)
{
    float amount = by_income(applicant->income) - by_debts(applicant->debts, applicant->savings);

    amount -= 100.0f * (float)applicant->dependants;
    amount -= by_gap(applicant->months_gap, applicant->income);
    if (applicant->months_employed < 6) /* on probation */
        amount *= 0.5f;
    if (applicant->age < 21 && amount > 1000.0f)
        amount = 1000.0f;
    if (applicant->age < 18 || amount < 100.0f)
        return 0;
    if (amount > 5000.0f)
        return 5000;
    return (int)(amount / 50.0f) * 50; /* limits are multiples of 50 EUR */
}
