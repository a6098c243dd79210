"""PathSummaries that outlive their question: kept in memory and on disk, and narrowed to a later question's family."""
