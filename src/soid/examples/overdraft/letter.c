/* The letter that tells a customer the limit of their account. Sex and postcode go into the address, and nowhere else. */

#include "overdraft.h"

void decide(const struct applicant *applicant, struct letter *letter)
{
    switch (applicant->sex) {
    case FEMALE:
        letter->salutation = MS;
        break;
    case MALE:
        letter->salutation = MR;
        break;
    default:
        letter->salutation = NEUTRAL;
    }
    letter->branch = applicant->postcode / 1000;
    letter->limit = limit_of(applicant);
}
