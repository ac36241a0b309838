// Nothing is called by its name from Swift: see hypot.c.
