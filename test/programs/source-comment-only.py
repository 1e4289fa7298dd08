# A file that holds only this comment runs and prints nothing.
