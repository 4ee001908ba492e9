"""Takes the fixtures from the file beside it; `pip install .` makes this file unnecessary."""

pytest_plugins = ["messaging_sim"]
