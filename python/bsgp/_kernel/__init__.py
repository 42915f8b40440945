"""Functions of Python as programs of the language: `bsgp.kernel`.

A function's syntax tree (source.py) is typed and translated (body.py, then a file for each kind of construct) into the tree of a
program (nodes.py), which the compiler checks and compiles as it does texts. A function that is called in a kernel becomes a function of
the program for each combination of the types of its arguments (program.py). Mistakes are collected (report.py) and raised as one
CompileError with places in the user's file.
"""
