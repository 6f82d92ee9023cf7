#!/usr/bin/env python3
"""lists.py FILE EXPRESSION: is it true of the JSON r in the file?"""
import json
import sys

r = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))
