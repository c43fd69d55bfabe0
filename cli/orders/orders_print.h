/* orders_print.h - output of the order study. */
#ifndef CLI_ORDERS_PRINT_H
#define CLI_ORDERS_PRINT_H

#include <jansson.h>
#include "cli/base/output.h"
#include "cli/orders/orders.h"

void orders_print(const orders_study *study, bool quiet); /* QUIET: only the table */
json_t *orders_json(const orders_study *study);
int orders_write_csv(const orders_study *study, cli_file *file, hn_error *error);

#endif
