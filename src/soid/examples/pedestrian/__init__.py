"""A car, a truck that hides a pedestrian, and an intersection manager that takes the pedestrian for a cyclist, in C."""
