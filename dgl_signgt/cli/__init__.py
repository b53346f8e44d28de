"""The command line: ``python -m dgl_signgt``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import SignGTError

__all__ = ["exit_codes"]


@contextmanager
def exit_codes() -> Iterator[None]:
    """End the program as a command should.

    An error that the user can act on is printed on stderr and exits with 2;
    Ctrl-C exits with 130; neither shows a traceback.

    Examples
    --------
    >>> with exit_codes():
    ...     main()
    """
    try:
        yield
    except SignGTError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        # The reader has gone, as in `… | head`; there is no one to tell.
        sys.stderr.close()
        raise SystemExit(141) from None
