from . import _core
from ._convert import asarray
from ._dtypes import *
