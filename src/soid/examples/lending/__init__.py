"""A learned lender that never sees to which group an applicant belongs, and refuses by where the group lives."""
