"""The lab's modules of classifiers, by their file names; see :data:`linnet.lecture.CLASSIFIERS`."""
