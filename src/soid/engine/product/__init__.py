"""Product programs: several programs in one scenario, so that a question may compare what they decide."""
