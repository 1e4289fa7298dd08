# DeprecationWarning is shown when the program itself triggers it; pending and import ones are not.
import warnings

warnings.warn("old way", DeprecationWarning)
warnings.warn("soon old", PendingDeprecationWarning)
warnings.warn("import detail", ImportWarning)
warnings.warn("left open", ResourceWarning)
warnings.warn("future change", FutureWarning)
print("end")
