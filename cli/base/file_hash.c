/* file_hash.c - FNV-1a hashes of bytes and files (file_hash.h). */
#include <inttypes.h>
#include <stdio.h>
#include "cli/base/file_hash.h"
#include "cli/base/memory.h"

uint64_t cli_hash(uint64_t hash, const void *bytes, size_t count)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

uint64_t cli_hash_file(uint64_t hash, const char *path)
{
  char part[4096];
  FILE *file = fopen(path, "r");
  for (size_t n; file && (n = fread(part, 1, sizeof part, file)) > 0;) hash = cli_hash(hash, part, n);
  if (file) fclose(file);
  return hash;
}

char *cli_hash_text(uint64_t hash)
{
  return cli_text("%016" PRIx64, hash);
}
