import multiprocessing


def tell(connection):
    connection.send("from the child")


ours, theirs = multiprocessing.get_context("fork").Pipe()
process = multiprocessing.get_context("fork").Process(target=tell, args=(theirs,))
process.start()
assert ours.recv() == "from the child"
process.join()
assert process.exitcode == 0
print("works")
