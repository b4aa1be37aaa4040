"""What is asked of engines that hold lazy frames, and what Spark does in its own way."""
