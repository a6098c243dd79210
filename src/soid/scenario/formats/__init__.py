"""The formats that a log may have: each reader gives Records, whose values are still as the log writes them."""
