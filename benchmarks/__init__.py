"""Measurements of the library against others of its kind; ratios within one run."""
