# A method that forgets self gets the hint of its version.
class Account:
    balance = 5

    def show(self):
        return balance


Account().show()
