# Functions made by exec have no source.
import inspect

namespace = {}
exec("def made(): pass", namespace)
inspect.getsource(namespace["made"])
