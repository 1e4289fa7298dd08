"""Confines processes by the kernel's own means, without privileges and without a helper program (Linux)."""
