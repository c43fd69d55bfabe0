/* file_hash.h - FNV-1a hashes of bytes and files, which identify a text. */
#ifndef CLI_FILE_HASH_H
#define CLI_FILE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns HASH extended by COUNT bytes, or by the bytes of a file as far as it can be read. */
uint64_t cli_hash(uint64_t hash, const void *bytes, size_t count);
uint64_t cli_hash_file(uint64_t hash, const char *path);
/* Returns the 16 hexadecimal digits of HASH, to be freed. */
char *cli_hash_text(uint64_t hash);

#endif
