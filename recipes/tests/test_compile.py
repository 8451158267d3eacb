"""What needs Airflow, Dagster or PyIceberg cannot run here; at least it is Python, and says that it was not run."""

import ast
import unittest
from pathlib import Path

RECIPES = Path(__file__).parent.parent


class CompileTest(unittest.TestCase):
    def test_files_compile(self):
        files = sorted(RECIPES.glob("**/*.py"))
        self.assertGreater(len(files), 8)
        for file in files:
            compile(file.read_text(encoding="utf-8"), str(file), "exec")

    def test_what_was_not_run_says_so(self):
        for file in [*RECIPES.glob("airflow/*.py"), *RECIPES.glob("dagster/*.py"), RECIPES / "pyiceberg_finality.py"]:
            self.assertIn("NOT RUN HERE", ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))), file)
