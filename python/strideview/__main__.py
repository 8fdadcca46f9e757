"""The command line: ``strideview``, or ``python -m strideview``."""

import signal
import sys

from strideview._strideview import _run_command_line


def main() -> int:
    """Runs the command that the arguments ask for; returns the exit status."""
    # Python would only note it, and tell nobody before the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _run_command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
