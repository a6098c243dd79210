"""A learned risk tree in a C program that mistakes inches and pounds for metres and kilograms."""
