"""`python -m capcurve` is the command `capcurve`; a key pressed while it loads just ends it."""

import signal


def main() -> None:
    """Load the command line and run it."""
    # Until the commands are loaded there is nothing to clean up, so that an early Ctrl-C can end
    # the process at once instead of showing where the loading was.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from capcurve.cli import main as program

    program(prog_name="capcurve")


if __name__ == "__main__":
    main()
