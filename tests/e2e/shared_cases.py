#!/usr/bin/env python3
"""Runs the shared extraction cases, where that folder is beside the repository; skipped (77) where it is not.

usage: shared_cases.py PROVISIONER"""
import sys

from harness import SHARED, argument, end_unrun, run

if not (SHARED / "tools/extract_cases.py").exists():
    end_unrun("the shared cases are not beside the repository (%s)" % SHARED)
sys.exit(run(sys.executable, SHARED / "tools/extract_cases.py", argument(), SHARED / "cases/ignition", capture_output=False).returncode)
