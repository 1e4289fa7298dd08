# Closures, global, nonlocal, class bodies and comprehensions keep their scopes in code of the program.
total = 0


def counter():
    count = 0

    def step():
        nonlocal count
        global total
        count += 1
        total += count
        return count

    return step


step = counter()
print(step(), step(), step(), total)


class Scope:
    values = [1, 2]
    doubled = [value * 2 for value in values]
    total = total + 1


print(Scope.doubled, Scope.total, total, [total for total in "ab"], total)
