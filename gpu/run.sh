#!/bin/sh
# Runs the bundle: tests and benchmarks of strideview on this machine.
# Needs Python 3.11 or newer, and a CUDA driver for the GPU parts; nothing is fetched.
# Logs and records go to the folder that OUT names (./out by default). --help lists the options.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
exec "${PYTHON:-python3}" -u "$here/gpu/run.py" "$@"
