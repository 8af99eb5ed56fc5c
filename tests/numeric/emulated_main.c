/* Calls compiled entries for a reader on the other side of two pipes.
 *
 * A request: the number of the entry, the number of buffers, of each its bytes and where it starts
 * within 64 bytes, then its content; the number of words, of each a buffer (or -1) and a number.
 * The answer: the flags, then the content of every buffer. Numbers are 64-bit, little-endian. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int32_t entry_fn(const int64_t *);
extern entry_fn *const entries[];

static int read_all(void *into, size_t bytes) { return fread(into, 1, bytes, stdin) == bytes; }

static int64_t number(void) {
  int64_t value;
  if (!read_all(&value, sizeof value)) exit(2);
  return value;
}

int main(void) {
  int64_t which;
  while (read_all(&which, sizeof which)) {
    int64_t buffers = number();
    char **address = calloc(buffers + 1, sizeof *address);
    int64_t *size = calloc(buffers + 1, sizeof *size);
    for (int64_t i = 0; i < buffers; i++) {
      size[i] = number();
      int64_t start = number();
      address[i] = (char *)aligned_alloc(64, (size[i] + start + 127) / 64 * 64) + start;
      if (!read_all(address[i], size[i])) return 2;
    }
    int64_t words = number();
    int64_t *block = calloc(words + 1, sizeof *block);
    for (int64_t i = 0; i < words; i++) {
      int64_t buffer = number();
      block[i] = number() + (buffer < 0 ? 0 : (int64_t)address[buffer]);
    }
    int64_t flags = entries[which](block);
    fwrite(&flags, sizeof flags, 1, stdout);
    for (int64_t i = 0; i < buffers; i++) fwrite(address[i], 1, size[i], stdout);
    fflush(stdout);
  }
  return 0;
}
