# The message for a module that does not exist.
import surely_no_such_module
