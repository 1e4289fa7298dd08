# New files and folders get the modes of the usual mask.
import os
import stat

mask = os.umask(0)
os.umask(mask)
open("plain", "w").close()
os.mkdir("folder")
print(oct(mask), oct(stat.S_IMODE(os.stat("plain").st_mode)), oct(stat.S_IMODE(os.stat("folder").st_mode)))
