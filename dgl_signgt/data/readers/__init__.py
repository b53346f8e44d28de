"""Readers of the raw formats, one a file.

DGL has loaders of its own for some of these sets. They are not used: they
execute pickles (planetoid, Shchur's npz), renumber nodes, parse line by line
in Python, and look for other file names than the official archives have.
"""
