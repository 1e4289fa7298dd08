# exec under an error filter turns the warning into a SyntaxError.
import warnings

warnings.simplefilter("error", SyntaxWarning)
exec("print(1 is 1)")
