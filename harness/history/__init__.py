"""What can be said of a step without a model."""
