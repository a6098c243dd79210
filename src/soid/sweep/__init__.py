"""Sweeps: the same questions at many moments of many logs, as one table."""
