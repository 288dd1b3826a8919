from linnet.scale.cluster import cluster_client as cluster_client
from linnet.scale.comparing import compare as compare
from linnet.scale.comparing import cross_validate as cross_validate
from linnet.scale.filter_result import Filtered as Filtered
from linnet.scale.filtering import filter_parts as filter_parts
from linnet.scale.record_batches import ArrowFunction as ArrowFunction
from linnet.scale.record_batches import arrow_function as arrow_function
from linnet.scale.training import fit as fit
