# Each target is what the continuous integration calls. Tools come from the active environment.
CXX_FILES = $(shell find native -name '*.cpp' -o -name '*.hpp')

.PHONY: install lint types imports test laws format native-format all

install:  # editable, with everything a developer needs
	CMAKE_ARGS="-DBAYESIEVE_WERROR=ON" pip install --editable '.[cli,test,dev]'

lint:
	ruff check
	ruff format --check
	clang-format --dry-run -Werror $(CXX_FILES)

types:
	mypy

imports:  # the source, not what happens to be installed
	PYTHONPATH=src lint-imports

test:
	pytest

laws:  # only the properties: permute, duplicate, add then remove
	pytest tests/laws

format: native-format
	ruff check --fix
	ruff format

native-format:
	clang-format -i $(CXX_FILES)

all: lint types imports test
