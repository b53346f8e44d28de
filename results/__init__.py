"""Runs that are kept, and the page that they make: ``python -m results``."""
