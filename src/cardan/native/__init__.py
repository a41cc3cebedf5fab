"""Python functions as native code: entries of one C signature, compiled once and kept on disk."""
