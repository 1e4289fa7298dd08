# Numbers with leading zeros and wrong digits.
print(0777)
