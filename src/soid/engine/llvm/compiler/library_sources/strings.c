/* <string.h>, <strings.h>: what the engine has no model of. */
#include "library.h"

void *malloc(size_t size);

/* The number of characters before the first that is, or is not, in a set; the zero at the end is in neither. */
static size_t span(const char *text, const char *set, bool inside)
{
    for (size_t n = 0;; n++) {
        bool found = false;
        for (const char *each = set; *each != '\0'; each++)
            found |= *each == text[n];
        if ((text[n] == '\0') | (found != inside))
            return n;
    }
}

size_t EXPORTED(strspn)(const char *text, const char *set) { return span(text, set, true); }
size_t EXPORTED(strcspn)(const char *text, const char *set) { return span(text, set, false); }

char *EXPORTED(strpbrk)(const char *text, const char *set)
{
    text += span(text, set, false);
    return *text != '\0' ? (char *)text : NULL;
}

static size_t length(const char *text, size_t most)
{
    size_t n = 0;
    while (n < most && text[n] != '\0')
        n++;
    return n;
}

/* --- comparing */

static int compare_folded(const char *one, const char *other, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        int a = lower((unsigned char)one[i]), b = lower((unsigned char)other[i]);
        if ((a != b) | (a == 0))
            return a - b;
    }
    return 0;
}

int EXPORTED(strcasecmp)(const char *one, const char *other) { return compare_folded(one, other, SIZE_MAX); }
int EXPORTED(strncasecmp)(const char *one, const char *other, size_t most) { return compare_folded(one, other, most); }

int EXPORTED(strcoll)(const char *one, const char *other)
{
    for (;; one++, other++) {
        int a = (unsigned char)*one, b = (unsigned char)*other;
        if ((a != b) | (a == 0))
            return a - b;
    }
}

/* --- looking for something */

void *EXPORTED(memrchr)(const void *memory, int wanted, size_t size)
{
    const unsigned char *bytes = memory;
    while (size-- > 0)
        if (bytes[size] == (unsigned char)wanted)
            return (void *)(bytes + size);
    return NULL;
}

void *EXPORTED(rawmemchr)(const void *memory, int wanted)
{
    const unsigned char *bytes = memory;
    while (*bytes != (unsigned char)wanted)
        bytes++;
    return (void *)bytes;
}

char *EXPORTED(strchrnul)(const char *text, int wanted)
{
    while ((*text != (char)wanted) & (*text != '\0'))
        text++;
    return (char *)text;
}

char *EXPORTED(index)(const char *text, int wanted)
{
    while ((*text != (char)wanted) & (*text != '\0'))
        text++;
    return *text == (char)wanted ? (char *)text : NULL;
}

char *EXPORTED(rindex)(const char *text, int wanted)
{
    const char *found = NULL;
    for (;; text++) {
        if (*text == (char)wanted)
            found = text;
        if (*text == '\0')
            return (char *)found;
    }
}

void *EXPORTED(memmem)(const void *memory, size_t size, const void *wanted, size_t wanted_size)
{
    const unsigned char *bytes = memory, *sought = wanted;
    for (size_t at = 0; at + wanted_size <= size; at++) {
        size_t same = 0;
        while (same < wanted_size && bytes[at + same] == sought[same])
            same++;
        if (same == wanted_size)
            return (void *)(bytes + at);
    }
    return NULL;
}

char *EXPORTED(strcasestr)(const char *text, const char *wanted)
{
    size_t size = length(wanted, SIZE_MAX);
    for (;; text++) {
        if (compare_folded(text, wanted, size) == 0)
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}

/* --- copying */

static char *duplicate(const char *text, size_t size)
{
    char *made = malloc(size + 1);
    if (made != NULL) {
        __builtin_memcpy(made, text, size);
        made[size] = '\0';
    }
    return made;
}

char *EXPORTED(strdup)(const char *text) { return duplicate(text, length(text, SIZE_MAX)); }
char *EXPORTED(strndup)(const char *text, size_t most) { return duplicate(text, length(text, most)); }

void *EXPORTED(mempcpy)(void *to, const void *from, size_t size)
{
    __builtin_memcpy(to, from, size);
    return (char *)to + size;
}

void *EXPORTED(memccpy)(void *to, const void *from, int last, size_t size)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < size; i++) {
        target[i] = source[i];
        if (source[i] == (unsigned char)last) {
            soid_need_apart(to, i + 1, from, i + 1, NULL);
            return target + i + 1;
        }
    }
    soid_need_apart(to, size, from, size, NULL);
    return NULL;
}

char *EXPORTED(stpncpy)(char *to, const char *from, size_t size)
{
    size_t used = length(from, size);
    soid_need_apart(to, size, from, used, NULL);
    for (size_t i = 0; i < size; i++)
        to[i] = i < used ? from[i] : '\0';
    return to + used;
}

size_t EXPORTED(strlcpy)(char *to, const char *from, size_t size)
{
    size_t used = length(from, SIZE_MAX);
    if (size > 0) {
        size_t copied = used < size ? used : size - 1;
        soid_need_apart(to, copied + 1, from, used + 1, NULL);
        for (size_t i = 0; i < copied; i++)
            to[i] = from[i];
        to[copied] = '\0';
    }
    return used;
}

size_t EXPORTED(strlcat)(char *to, const char *from, size_t size)
{
    size_t before = length(to, size), used = length(from, SIZE_MAX);
    if (before < size) {
        size_t copied = used < size - before ? used : size - before - 1;
        soid_need_apart(to, before + copied + 1, from, used + 1, NULL);
        for (size_t i = 0; i < copied; i++)
            to[before + i] = from[i];
        to[before + copied] = '\0';
    }
    return before + used;
}

void EXPORTED(bcopy)(const void *from, void *to, size_t size) { __builtin_memmove(to, from, size); }
void EXPORTED(bzero)(void *to, size_t size) { __builtin_memset(to, 0, size); }
void EXPORTED(explicit_bzero)(void *to, size_t size) { __builtin_memset(to, 0, size); }

/* --- cutting into words */

static char *next_word(char *text, const char *delimiters, char **rest)
{
    text += span(text, delimiters, true);
    if (*text == '\0') {
        *rest = text;
        return NULL;
    }
    char *end = text + span(text, delimiters, false);
    *rest = end;
    if (*end != '\0') {
        *end = '\0';
        *rest = end + 1;
    }
    return text;
}

static char *next_of(char *text, const char *delimiters, char **rest)
{
    if (text == NULL && *rest == NULL)
        soid_fails("strtok_r without a text to go on with");
    return next_word(text != NULL ? text : *rest, delimiters, rest);
}

char *EXPORTED(strtok_r)(char *text, const char *delimiters, char **rest) { return next_of(text, delimiters, rest); }
char *EXPORTED(__strtok_r)(char *text, const char *delimiters, char **rest) { return next_of(text, delimiters, rest); }

__attribute__((weak)) char *soid_libc_strtok_rest;

char *EXPORTED(strtok)(char *text, const char *delimiters)
{
    if (text == NULL && soid_libc_strtok_rest == NULL)
        soid_not_explored("strtok goes on with a text that was given to it before the program was called");
    return next_word(text != NULL ? text : soid_libc_strtok_rest, delimiters, &soid_libc_strtok_rest);
}

char *EXPORTED(strsep)(char **text, const char *delimiters)
{
    char *word = *text;
    if (word == NULL)
        return NULL;
    char *end = word + span(word, delimiters, false);
    *text = NULL;
    if (*end != '\0') {
        *end = '\0';
        *text = end + 1;
    }
    return word;
}
