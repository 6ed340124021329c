"""`python -m litmus_nb`: the command line, without the working directory among the places that modules come from."""

import sys

if not sys.flags.safe_path:
    sys.path.pop(0)

from litmus_nb.cli import main

if __name__ == "__main__":
    main()
