"""Measurements of time and memory: ``make bench``."""
