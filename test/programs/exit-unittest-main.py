# unittest.main finds the tests of this file and ends with 1 if one fails.
import io
import unittest


class Sums(unittest.TestCase):
    def test_right(self):
        self.assertEqual(1 + 1, 2)

    def test_wrong(self):
        self.assertEqual(1 + 1, 3)


class Quiet(unittest.TextTestRunner):
    def run(self, test):
        result = super().run(test)
        print(result)
        for case, trace in result.failures:
            print(case.id(), trace.splitlines()[-1])
        return result


unittest.main(argv=["tests"], testRunner=Quiet(stream=io.StringIO()))
