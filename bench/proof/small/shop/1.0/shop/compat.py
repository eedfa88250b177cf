import sys

if sys.version_info[0] == 2:
    text_type = unicode
else:
    text_type = str

OLDEST = "2.7"
