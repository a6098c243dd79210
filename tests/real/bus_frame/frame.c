/* Receives a frame of the door bus and carries out its command. */
#include "frame.h"

#include <string.h>

_Static_assert(sizeof(struct frame_header) == 3, "header is three bytes on the wire");
_Static_assert(sizeof(struct door_cmd) == 4, "command is four bytes on the wire");

#define BROADCAST 0xFF
#define CHECK(cond, err) do { if (!(cond)) { status = (err); goto out; } } while (0)

/* CRC-8, polynomial x^8 + x^2 + x + 1 */
static uint8_t crc8(const uint8_t *p, size_t n)
{
    uint8_t crc = 0;

    while (n--) {
        crc ^= *p++;
        for (int bit = 0; bit < 8; bit++)
            crc = (uint8_t)((crc & 0x80) ? (crc << 1) ^ 0x07 : crc << 1);
    }
    return crc;
}

static uint16_t get_le16(const void *at)
{
    const uint8_t *b = at;

    return (uint16_t)(b[0] | (b[1] << 8));
}

static enum parse_status apply(struct door *self, const struct door_cmd *cmd)
{
    uint16_t position = get_le16(&cmd->position);

    if (position > 1000)
        return PARSE_RANGE;
    if (cmd->speed == 0 && !cmd->hold)
        return PARSE_RANGE;
    self->target = position;
    self->rate = (int16_t)(cmd->speed * 4);
    self->held = cmd->hold;
    return PARSE_OK;
}

enum parse_status door_receive(struct door *self, const uint8_t *data, size_t size)
{
    enum parse_status status = PARSE_OK;
    struct frame_header header;
    struct door_cmd cmd;

    CHECK(size >= sizeof header + 1, PARSE_SHORT);
    memcpy(&header, data, sizeof header);
    CHECK(header.sof == FRAME_SOF, PARSE_SOF);
    CHECK(header.len <= FRAME_MAX - sizeof header - 1, PARSE_LENGTH);
    CHECK(size >= sizeof header + header.len + 1, PARSE_SHORT);
    CHECK(crc8(data, sizeof header + header.len) == data[sizeof header + header.len], PARSE_CRC);
    CHECK(header.dest == self->address || header.dest == BROADCAST, PARSE_DEST);
    CHECK(header.seq != (self->last_seq & 7) || header.dest == BROADCAST, PARSE_REPEAT);

    self->last_seq = header.seq;
    if (header.len == 0 || header.reply)
        goto out; /* keep-alive */
    CHECK(header.len == sizeof cmd, PARSE_LENGTH);
    memcpy(&cmd, data + sizeof header, sizeof cmd);
    status = apply(self, &cmd);
out:
    return status;
}
