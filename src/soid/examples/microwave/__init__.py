"""The microwave operator: an error occurred and it did not cancel. Was it at fault?"""
