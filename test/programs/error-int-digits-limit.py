# Very long integers are not turned into text, since 3.11.
# requires: 3.11
import sys

print(sys.get_int_max_str_digits(), sys.int_info.str_digits_check_threshold)
print(len(str(10**4299)))
print(10**4300)
