/* text_table.h - tables of text, for the screen and for Markdown. */
#ifndef CLI_TEXT_TABLE_H
#define CLI_TEXT_TABLE_H

#include <stdio.h>

typedef struct cli_table cli_table;
/* TITLES are separated by '|'; a column whose title starts with '<' is aligned left, and one whose title ends in ~N can
 * be spared on a narrow screen, the least N first. All empty: no head is printed. */
cli_table *cli_table_create(const char *titles);
void cli_cell(cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_cell_real(cli_table *table, const char *format, double value); /* "-" when it is not finite */
void cli_table_wide(void);                         /* all columns from now on, on any screen */
void cli_print_lines(const char *text, FILE *out); /* TEXT, whose lines are broken where a screen is narrow */
void cli_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3))); /* the same */
void cli_table_print(const cli_table *table, FILE *out);
void cli_table_markdown(const cli_table *table, FILE *out);
void cli_markdown_text(const char *text, FILE *out); /* one line, in which nothing is markup */
void cli_markdown_code(const char *text, FILE *out); /* the same as a code span */
void cli_table_free(cli_table *table);

#endif
