/* test_control.c - sys:control, the records of joints, and the hydraulic driver. */
#include "scenes.h"

int main(void)
{
  return 0;
}
