"""The jail: runs what touches a stranger's bytes, confined before its first instruction."""
