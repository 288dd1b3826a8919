from linnet.scale.cluster import cluster_client as cluster_client
from linnet.scale.comparing import compare as compare
from linnet.scale.comparing import cross_validate as cross_validate
from linnet.scale.filtering.files import filter_parts as filter_parts
from linnet.scale.filtering.result import Filtered as Filtered
from linnet.scale.record_batches import ArrowFunction as ArrowFunction
from linnet.scale.record_batches import arrow_function as arrow_function
from linnet.scale.training.fit import fit as fit
