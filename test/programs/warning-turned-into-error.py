# Under simplefilter("error") the warning is raised and ends the program.
import warnings

warnings.simplefilter("error")
warnings.warn("now fatal")
