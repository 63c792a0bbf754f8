"""Starts the demo."""

from leasehold.demo.program import main

main(prog_name="python -m leasehold.demo")
