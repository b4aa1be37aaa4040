"""What the engines that hold lazy frames each do in their own way."""
