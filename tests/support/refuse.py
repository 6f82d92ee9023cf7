#!/usr/bin/env python3
"""refuse.py ERRNO NR[,NR...] COMMAND...: runs a command in which these system calls fail with ERRNO, as under a
container's seccomp profile or on a file system that lacks them (x86-64)."""
import ctypes
import os
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
REFUSE, ALLOW = 0x00050000, 0x7fff0000


class Instruction(ctypes.Structure):
    _fields_ = [('code', ctypes.c_ushort), ('jt', ctypes.c_ubyte), ('jf', ctypes.c_ubyte), ('k', ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [('n', ctypes.c_ushort), ('filter', ctypes.POINTER(Instruction))]


def main(number, calls, *command):
    rows = [Instruction(LOAD, 0, 0, 0)]
    for call in calls.split(','):
        rows += [Instruction(JUMP_EQUAL, 0, 1, int(call)), Instruction(RETURN, 0, 0, REFUSE | int(number))]
    rows.append(Instruction(RETURN, 0, 0, ALLOW))
    block = (Instruction * len(rows))(*rows)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(Program(len(rows), block)), 0, 0):
        sys.exit('refuse.py: %s' % os.strerror(ctypes.get_errno()))
    os.execvp(command[0], command)


if __name__ == '__main__':
    main(*sys.argv[1:])
