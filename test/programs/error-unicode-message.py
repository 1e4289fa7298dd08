# A message beyond ASCII is printed as it is, the source line too.
raise ValueError("größer als 5 €: " + "🚀" * 2)
