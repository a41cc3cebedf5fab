# Everything runs in .venv, which is made on first use; only Python 3.11+ and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

PEERS := .venv-peers
ADAPTERS := .venv-adapters

.PHONY: run test check fuzz bench bench-peers pictures clean

run: $(READY)  ## a first mission, with its result on the screen
	@$(BIN)/cardan run hello

test: $(READY) check  ## style, types and all tests
	$(BIN)/python -m pytest -n auto --dist worksteal

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

CASES ?= 10000
fuzz: $(READY)  ## attempts to break it at random: CASES, SEED and KIND choose (docs/how-to/fuzz.md)
	PYTHONPATH=tests:tests/backends:tests/robotics $(BIN)/python -m fuzz --cases $(CASES) \
		$(if $(SEED),--seed $(SEED)) $(if $(KIND),--kind "$(KIND)")

bench: $(READY)  ## what must be fast, as ratios measured in one run
	$(BIN)/python -m benchmarks

bench-peers: $(READY) $(PEERS)/.ready $(ADAPTERS)/.ready  ## the same with peers beside it, in environments of their own
	$(BIN)/python -m benchmarks peers

pictures: $(READY)  ## the pictures of the README
	$(BIN)/python docs/images/make_pictures.py

$(PEERS)/.ready:
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade pip
	$(PEERS)/bin/python -m pip install --quiet numpy scipy pin 'bsk==2.12.*' 'mujoco==3.17.*' 'mujoco-mjx==3.17.*'
	@touch $@

# with Cardan itself in it, whose MuJoCo is another than MJX asks for
$(ADAPTERS)/.ready: pyproject.toml
	$(PYTHON) -m venv $(ADAPTERS)
	$(ADAPTERS)/bin/python -m pip install --quiet --upgrade pip
	$(ADAPTERS)/bin/python -m pip install --quiet --editable ".[learn]" stable-baselines3
	@touch $@

clean:
	rm -rf $(VENV) $(PEERS) $(ADAPTERS) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@
