"""The formats of logs. Each reader yields LogRecords, with values as the log writes them."""
