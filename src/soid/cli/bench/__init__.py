"""`soid bench`: figures that anyone can measure again."""
