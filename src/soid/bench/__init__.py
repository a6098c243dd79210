"""Measurements that anyone can repeat: `soid bench`."""
