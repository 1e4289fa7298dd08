# help() prints the documentation of the program's own things without a pager.
class Box:
    """A box."""

    def open(self, wide: bool = False) -> str:
        """Opens it."""


help(Box.open)
