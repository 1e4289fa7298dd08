# A coroutine that is dropped without await warns when it is freed.
async def work():
    return 1


def forget():
    work()


forget()
print("end")
