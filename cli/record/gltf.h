/* gltf.h - records as animations for 3D tools. */
#ifndef HN_CLI_GLTF_H
#define HN_CLI_GLTF_H

#include "holonom.h"

/* Binary glTF 2.0: an animated node for each body, with its shapes. */
extern const hn_record_type cli_gltf;

#endif
