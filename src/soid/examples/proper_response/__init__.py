"""A longitudinal guard in C, and the second before two cars touched: should it have braked?"""
