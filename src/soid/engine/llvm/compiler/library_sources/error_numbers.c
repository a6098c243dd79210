/* <errno.h>: where errno lies, by the names that headers give to the function. */
#include "library.h"

int *EXPORTED(__errno_location)(void) { return error_number(); } /* glibc, musl */
int *EXPORTED(__errno)(void) { return error_number(); }          /* newlib */
int *EXPORTED(_errno)(void) { return error_number(); }           /* Windows */
