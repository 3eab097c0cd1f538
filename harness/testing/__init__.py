"""Fakes and contract suites for tests of the harness and of plug-ins."""
