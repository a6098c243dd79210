"""Three learned drivers at a four-way stop, and one crash: reasonable, reckless, or on purpose?"""
