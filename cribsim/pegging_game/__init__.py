"""The play as a game to be solved: two players, ranks alone, every hand that each may hold (`docs/pegging.md`)."""
