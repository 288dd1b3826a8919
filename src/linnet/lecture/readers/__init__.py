"""The lab's modules that read data, by their file names; see :data:`linnet.lecture.READERS`."""
