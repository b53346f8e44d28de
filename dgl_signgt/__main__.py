"""``python -m dgl_signgt``."""

from .cli.main import main

if __name__ == "__main__":
    main()
