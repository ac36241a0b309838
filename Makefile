# `make help` lists the targets. A recipe that is more than a few commands is a script in Scripts/.
.DEFAULT_GOAL := help
.PHONY: help run test soak mutants compare-etcd fuzz check docs build lambda test-lambda example bench bench-etcd bench-dynamodb bench-patterns bench-lambda format clean

LISTEN ?= 127.0.0.1:8899
STEPS ?= 200000
ENGINE ?= all
MINUTES ?= 2
SWIFT_FILES := Sources Libraries Tests Benchmarks Examples Package.swift

# Planted defects are only for `make mutants`, whose script sets this: no other target takes it from the environment.
unexport DISCFG_MUTANTS

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Install what is missing, build, and start the server on the embedded store (LISTEN=HOST:PORT).
	@Scripts/install-dependencies.sh build
	swift build --product discfg
	@exec "$$(swift build --show-bin-path)/discfg" serve --listen $(LISTEN)

test: ## Install what the tests need, and run all of them (ARGS="--filter NAME" runs some).
	@Scripts/install-dependencies.sh test
	@Scripts/test.sh $(ARGS)

compare-etcd: ## Compare random requests with a real etcd for hours (STEPS=200000; SEED=N repeats a run).
	@Scripts/install-dependencies.sh test
	@DISCFG_DIFFERENTIAL_STEPS=$(STEPS) $(SEED:%=DISCFG_DIFFERENTIAL_SEED=%) \
	    Scripts/test.sh --filter EtcdComparisonTests/random

soak: ## Look for violations under faults for 2 minutes on each engine (HOURS=N, MINUTES=N, ENGINE=sqlite|dynamodb|memory|all, SEED=N).
	@Scripts/install-dependencies.sh test
	@Scripts/soak.sh --engine $(ENGINE) --minutes $(if $(HOURS),$$(($(HOURS) * 60)),$(MINUTES)) $(SEED:%=--seed %) $(ARGS)

mutants: ## Build discfg with planted defects, and show that the checks of soak find each in a minute (MUTANT=NAME, SEED=N).
	@Scripts/install-dependencies.sh test
	@Scripts/soak.sh --mutants $(MUTANT:%=--mutant %) $(SEED:%=--seed %) $(ARGS)

fuzz: ## Feed every decoder with inputs that libFuzzer makes, under the address sanitizer (DECODER=toml, SECONDS=60 for each).
	@Scripts/install-dependencies.sh build
	@Scripts/fuzz.sh $(or $(SECONDS),60) $(DECODER)

check: ## Lint, layers, tree rules, a build in which every warning is an error, and the documentation's links.
	@Scripts/install-dependencies.sh check
	shellcheck -x .ci/run Scripts/*.sh Benchmarks/*.sh Examples/*.sh
	swift format lint --strict --parallel --recursive $(SWIFT_FILES)
	Scripts/check-layers.sh
	Scripts/check-tree.sh
	DISCFG_WARNINGS_AS_ERRORS=1 swift build --build-tests
	Scripts/build-docs.sh

docs: ## Build the documentation of the libraries into .build/docs, with every broken link an error.
	@Scripts/install-dependencies.sh build
	swift build --target DiscfgCore
	swift build --target DiscfgClient
	swift build --target DynamoDBPatternsTesting
	Scripts/build-docs.sh

build: ## Build the release binary .build/release/discfg: static Swift library, stripped.
	@Scripts/install-dependencies.sh build
	Scripts/build-release.sh

lambda: ## Build .build/lambda/discfg-lambda.zip for AWS Lambda, the same bytes for the same sources and folder.
	@Scripts/install-dependencies.sh lambda
	Scripts/build-lambda.sh

test-lambda: lambda ## Deploy that zip to AWS's stand-in by the SAM template, and run the README's tour there.
	@Scripts/install-dependencies.sh test
	@DISCFG_LAMBDA_ZIP=$(CURDIR)/.build/lambda/discfg-lambda.zip Scripts/test.sh --filter DeployedTests

example: ## Run an example of DynamoDBPatterns against ministack, AWS's stand-in (NAME=click-alert).
	@Scripts/install-dependencies.sh example
	@Examples/run.sh $(NAME)

bench: build ## Measure against etcd on this machine, and print the tables of docs/benchmarks.md.
	@Scripts/install-dependencies.sh bench
	Benchmarks/run.sh

bench-etcd: build ## Measure the etcd APIs against etcd's own, and 10,000 idle watches (WATCHERS=N).
	@Scripts/install-dependencies.sh bench
	Benchmarks/etcd.sh

bench-dynamodb: ## Measure commits and costs on DynamoDB's stand-in, and print the tables of docs/benchmarks.md.
	@Scripts/install-dependencies.sh bench-dynamodb
	swift build -c release --product dynamodb-benchmark
	@DISCFG_AWS_VENV=$(CURDIR)/.venv-aws "$$(swift build -c release --show-bin-path)/dynamodb-benchmark"

bench-patterns: ## Measure the patterns beside the naive way, and print the tables of docs/benchmarks.md.
	@Scripts/install-dependencies.sh bench-dynamodb
	swift build -c release --product patterns-benchmark
	@DISCFG_AWS_VENV=$(CURDIR)/.venv-aws "$$(swift build -c release --show-bin-path)/patterns-benchmark"

bench-lambda: build lambda ## Measure discfg-lambda beside Python with boto3, and print the table of docs/benchmarks.md.
	@Scripts/install-dependencies.sh bench-lambda
	Benchmarks/lambda.sh

format: ## Rewrite the Swift sources in the project's format.
	swift format --in-place --parallel --recursive $(SWIFT_FILES)

clean: ## Remove what was built and the tests' Python environments.
	rm -rf .build .venv .venv-aws .venv-etcd .venv-lambda
