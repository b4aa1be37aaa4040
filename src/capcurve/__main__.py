"""`python -m capcurve` is the command `capcurve`."""

from capcurve.cli import main

if __name__ == "__main__":
    main(prog_name="capcurve")
