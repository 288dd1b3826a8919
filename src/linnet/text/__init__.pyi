from linnet.text.extractor import Extractor as Extractor
from linnet.text.features import TextFeatures as TextFeatures
from linnet.text.stop_words import ENGLISH_STOP_WORDS as ENGLISH_STOP_WORDS
