# warnings.showwarning and formatwarning of one's own are used.
import warnings

warnings.formatwarning = lambda message, category, filename, lineno, line=None: f"[{lineno}] {message}\n"
warnings.warn("short form")
warnings.showwarning = lambda message, *rest, **more: print("shown:", message)
warnings.warn("own display")
