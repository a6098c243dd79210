/* Wire format of the door bus, version 2 (little endian, packed). */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_SOF   0xA5
#define FRAME_MAX   10

#pragma pack(push, 1)
struct frame_header {
    uint8_t sof;
    uint8_t len : 4;      /* payload bytes */
    uint8_t seq : 3;
    uint8_t reply : 1;
    uint8_t dest;
};

struct door_cmd {
    uint16_t position;    /* per mille */
    int8_t   speed;
    uint8_t  hold : 1;
    uint8_t  beep : 1;
    uint8_t  reserved : 6;
};
#pragma pack(pop)

enum parse_status {
    PARSE_OK = 0,
    PARSE_SHORT = -1,
    PARSE_SOF = -2,
    PARSE_LENGTH = -3,
    PARSE_CRC = -4,
    PARSE_DEST = -5,
    PARSE_REPEAT = -6,
    PARSE_RANGE = -7
};

struct door {
    uint8_t  address;
    uint8_t  last_seq;
    uint16_t target;
    int16_t  rate;
    uint8_t  held;
};

enum parse_status door_receive(struct door *self, const uint8_t *data, size_t size);

#endif
