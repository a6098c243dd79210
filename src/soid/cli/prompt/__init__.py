"""The prompt of `soid investigate`."""
