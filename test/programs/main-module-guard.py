# The usual guard is true.
def main():
    print("main was called")


if __name__ == "__main__":
    main()
