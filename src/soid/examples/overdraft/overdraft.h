/* What a bank knows of an applicant, and what it writes to them. */

enum sex { FEMALE, MALE, NOT_STATED };
enum salutation { MS, MR, NEUTRAL };

struct applicant {
    float income;        /* EUR a month, after tax */
    float savings;       /* EUR */
    float debts;         /* EUR */
    int age;             /* years */
    int months_employed; /* in the present job */
    int months_gap;      /* without a job, in the last ten years */
    int dependants;      /* who live on the income */
    int postcode;        /* for the branch that writes */
    enum sex sex;        /* for the salutation */
};

struct letter {
    enum salutation salutation;
    int branch;
    int limit; /* EUR: how far the account may be overdrawn */
};

int limit_of(const struct applicant *applicant);
