/* gltf.h - records as animations for 3D tools. */
#ifndef HN_CLI_GLTF_H
#define HN_CLI_GLTF_H

#include "holonom.h"

/* Binary glTF 2.0: a node for each body, with its shapes, that moves as the record says. */
extern const hn_record_type cli_gltf;

#endif
