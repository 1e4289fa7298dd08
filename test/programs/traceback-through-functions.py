# Every call on the way has its line, with the source text.
def parse(text):
    return int(text)


class Reader:
    def read(self, rows):
        for row in rows:
            self.take(row)

    def take(self, row):
        return parse(row)


Reader().read(["1", "two"])
