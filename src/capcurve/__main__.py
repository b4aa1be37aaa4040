"""`python -m capcurve` is the command `capcurve`; a key pressed while it loads just ends it."""

import gc
import os
import signal
import sys
from pathlib import Path


def main() -> None:
    """Load the command line and run it."""
    if sys.stderr is None:  # closed by the caller; libraries write notes to it all the same
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    # Until the commands are loaded there is nothing to clean up, so that an early Ctrl-C can end
    # the process at once instead of showing where the loading was.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Nothing here multiplies matrices, and threads that wait for such work take a third of the
    # processor time of a short command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Nor is anything that is loaded garbage; looking for some took a fifteenth of it.
    gc.disable()
    from capcurve.cli import main as program

    program(prog_name="capcurve")


if __name__ == "__main__":
    main()
