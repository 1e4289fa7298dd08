# catch_warnings records instead of printing and restores the filters after.
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("one")
    warnings.warn("two", DeprecationWarning)
print([(str(item.message), item.category.__name__, item.lineno) for item in caught])
warnings.warn("printed again")
