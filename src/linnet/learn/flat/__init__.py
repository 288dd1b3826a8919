"""Parts of the learners that give a row one label."""
