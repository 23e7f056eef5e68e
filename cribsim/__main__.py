"""`python -m cribsim`."""

from cribsim.cli import main

if __name__ == "__main__":
    main()
