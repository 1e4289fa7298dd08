# A module that the program writes into its working directory can be imported at once.
with open("just_written.py", "w") as file:
    file.write("value = __name__\n")
import just_written

print(just_written.value, just_written.__name__, just_written.__file__.endswith("just_written.py"))
