"""What can be typed after `soid`: each command and each option is declared here, once."""
