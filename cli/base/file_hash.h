/* file_hash.h - by which a text is known again. */
#ifndef CLI_FILE_HASH_H
#define CLI_FILE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Chains COUNT bytes, or those of a file, as far as it can be read, to HASH (FNV-1a). */
uint64_t cli_hash(uint64_t hash, const void *bytes, size_t count);
uint64_t cli_hash_file(uint64_t hash, const char *path);
/* The 16 digits of it, to be freed. */
char *cli_hash_text(uint64_t hash);

#endif
