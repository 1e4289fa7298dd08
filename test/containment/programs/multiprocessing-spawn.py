import multiprocessing


def tell(connection):
    connection.send("from the child")


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=tell, args=(theirs,))
    process.start()
    assert ours.recv() == "from the child"
    process.join()
    assert process.exitcode == 0
    print("works")
