"""`python -m cardan.cli`."""

from cardan.cli.program import main

if __name__ == "__main__":
    main()
