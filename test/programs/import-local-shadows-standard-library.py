# A local module hides the standard one of the same name that nothing has imported yet.
with open("this.py", "w") as file:
    file.write("where = 'local'\n")
import this

print(this.where)
