"""What dglgo's own commands and pipelines need to know SignGT."""
