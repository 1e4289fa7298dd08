# Accents, right-to-left text, joined emoji, combining marks and odd line separators print as UTF-8.
print("caf\u00e9 na\u00efve \u00df \u0130")
print("\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627")
print("\u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4")
print("\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea e\u0301")
print("[\ufeff][\u2028][\u2029][\x85][\xa0][\U0010ffff]")
print(repr("\u200b\xad\x7f\x80 \U0001f600"), ascii("\U0001f600"))
