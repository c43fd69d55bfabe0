/* text_table.h - tables of text, for the screen and for Markdown. */
#ifndef CLI_TEXT_TABLE_H
#define CLI_TEXT_TABLE_H

#include <stdio.h>

typedef struct cli_table cli_table;
/* Creates a table. TITLES are separated by "|": ["<"] [">"] TEXT [">" SHORT] ["~" N]. "<" aligns the column
 * left. ">" moves it to a second table below, which repeats the first column; its title there is SHORT, if
 * given. A screen that is wide enough, --wide and Markdown have one table. ~N: optional on a narrow screen,
 * the smallest N dropped first. Empty titles print no head. */
cli_table *cli_table_create(const char *titles);
void cli_cell(cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a number, or "-" when VALUE is not finite. */
void cli_cell_real(cli_table *table, const char *format, double value);
void cli_table_wide(void); /* show all columns from now on, in one table */
/* Print text whose lines are broken between words on a narrow screen. */
void cli_print_lines(const char *text, FILE *out);
void cli_print_wrapped(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print TABLE and free it. */
void cli_table_print(cli_table *table, FILE *out);
void cli_table_markdown(cli_table *table, FILE *out);
void cli_markdown_text(const char *text, FILE *out); /* one line, with markup escaped */
void cli_markdown_code(const char *text, FILE *out); /* one line, as a code span */
void cli_table_free(cli_table *table);

#endif
