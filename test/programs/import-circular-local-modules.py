# Two modules that import each other see half of the other.
for name, other in (("ring_a", "ring_b"), ("ring_b", "ring_a")):
    with open(name + ".py", "w") as file:
        file.write(f"print('begin {name}')\nimport {other}\nprint('{name} sees', hasattr({other}, 'done'))\ndone = True\n")
import ring_a

print(ring_a.done, ring_a.ring_b.done)
