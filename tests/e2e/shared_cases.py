#!/usr/bin/env python3
"""Runs the shared extraction cases, where that folder is beside the repository; skipped (77) where it is not.

usage: shared_cases.py PROVISIONER"""
import pathlib
import subprocess
import sys

SHARED = pathlib.Path(__file__).resolve().parents[2].parent / "shared"

if not (SHARED / "tools/extract_cases.py").exists():
    print("SKIPPED: the shared cases are not beside the repository (%s)" % SHARED)
    sys.exit(77)
sys.exit(subprocess.run([sys.executable, SHARED / "tools/extract_cases.py", sys.argv[1], SHARED / "cases/ignition"]).returncode)
