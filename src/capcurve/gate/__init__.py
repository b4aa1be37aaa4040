"""The gate of every function of counts: columns are counted, and what cannot be is refused."""
