"""What is done later, in batches: lesson cards, merging, decay, maintenance."""
