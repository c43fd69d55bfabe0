/* report.h - the report of a comparison. */
#ifndef HN_CLI_REPORT_H
#define HN_CLI_REPORT_H

#include "cli/base/output.h"
#include "cli/study/comparison.h"

/* Writes report.md, its data, gnuplot scripts and plots into FOLDER. */
int cli_report_write(const cli_comparison *comparison, cli_folder *folder, hn_error *error);

#endif
