"""Files of a few bytes that claim to hold a great deal: refused before memory is asked for.

All of them are opened in one process that may have half a gigabyte more than it begins with.
"""

from __future__ import annotations

import json
import pickle
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from linnet.compat import pycrfsuite

from .test_svmlight import points, svmlight_text

HUGE = (2**60, 2**62, 2**63 - 1, -1)
OPENED = """
import json, resource, sys
from pathlib import Path
import linnet, linnet.foreign.crfsuite, linnet.foreign.wapiti, linnet.foreign.perceptron
import linnet.foreign.fasttext, linnet.foreign.scikit_learn, linnet.foreign.svmlight
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
if size < 1 << 33:  # a sanitizer has taken terabytes of addresses
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 29),) * 2)
said = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        linnet.load(path)
        said[path.name] = "opened"
    except Exception as error:
        said[path.name] = type(error).__name__
print(json.dumps(said))
"""


def fasttext_file(**forged: int) -> bytes:
    """Return a classifier of one dimension, one word and two labels, with some fields forged."""
    field = dict(dim=1, bucket=0, word_ngrams=1, minn=0, maxn=0, size=3, words=1, labels=2,
                 pruned=-1, rows=1, columns=1)  # fmt: skip
    field.update(forged)
    head = struct.pack("<3i", 793712314, 12, field["dim"])
    head += struct.pack("<4i3i", 5, 5, 1, 5, field["word_ngrams"], 3, 3)
    head += struct.pack("<4id", field["bucket"], field["minn"], field["maxn"], 100, 1e-4)
    head += struct.pack("<3i", field["size"], field["words"], field["labels"])
    head += struct.pack("<2q", 10, field["pruned"])
    entries = [(b"a", 0), (b"__label__x", 1), (b"__label__y", 1)]
    body = b"".join(name + b"\0" + struct.pack("<qB", 1, kind) for name, kind in entries)
    matrix = b"\0" + struct.pack("<2q", field["rows"], field["columns"]) + struct.pack("<f", 0.5)
    return head + body + matrix + b"\0" + struct.pack("<2q2f", 2, 1, 1.0, -1.0)


def fasttext_files() -> Iterator[tuple[str, bytes]]:
    for name in ("dim", "size", "words", "labels", "bucket", "word_ngrams", "maxn"):
        yield f"{name}.bin", fasttext_file(**{name: 2**31 - 1})
    for value in HUGE[:3]:
        for name in ("pruned", "rows", "columns"):
            yield f"{name}{value}.bin", fasttext_file(**{name: value})


def crfsuite_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    path = folder / "good.crfsuite"
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.append([["a"], ["b"]], ["X", "Y"])
    trainer.train(str(path))
    raw = path.read_bytes()
    for at in (4, 20, 24, 28, 32, 36, 40, 44):
        for value in (2**32 - 1, 2**31):
            yield f"{at}_{value}.crfsuite", raw[:at] + struct.pack("<I", value) + raw[at + 4 :]
    features = raw.index(b"FEAT") + 8
    yield "features.crfsuite", raw[:features] + b"\xff\xff\xff\x7f" + raw[features + 4 :]


def wapiti_files() -> Iterator[tuple[str, bytes]]:
    raw = (Path(__file__).parent / "wapiti" / "crf.wapiti").read_bytes()
    for number, (part, huge) in enumerate(
        [(b"#mdl#2#", b"#mdl#2#9999999"), (b"#rdr#", b"#rdr#9999999"), (b"#qrk#", b"#qrk#9999999")]
    ):
        yield f"{number}.wapiti", raw.replace(part, huge, 1)
    labels = b"".join(b"%d:%d,\n" % (len(str(k)), k) for k in range(60_000))
    yield "labels.wapiti", b"#mdl#2#0\n#rdr#1/0/0\n3:b:x,\n#qrk#60000\n" + labels + b"#qrk#0\n"


def text_files() -> Iterator[tuple[str, bytes]]:
    for k, n in ((2**31 - 1, 2**31 - 1), (3, 2**62), (10**6, 3), (3, int("9" * 400))):
        head = f"solver_type L2R_LR\nnr_class {k}\nlabel 1 2 3\nnr_feature {n}\nbias -1\nw\n"
        yield f"{k}_{len(str(n))}.liblinear", (head + "1 2 3\n").encode()
    from linnet import KernelSVM

    for number, kernel in enumerate(("linear", "polynomial", "gaussian")):
        text = svmlight_text(KernelSVM(0.5, kernel=kernel, gamma=1.0).fit(*points(30)), number)
        wide = text.replace("3 # highest feature index", "2147483647 # highest feature index")
        yield f"{kernel}.svmlight", wide.encode()
    classes = [str(k) for k in range(30_000)]
    tagger = {"weights": {"bias": {"0": 1.0}}, "tagdict": {}, "classes": classes}
    yield "wide.json", json.dumps(tagger).encode()
    yield "deep.json", b'{"weights":' + b'{"a":' * 100_000 + b"}" * 100_000 + b"}"


def pickles() -> Iterator[tuple[str, bytes]]:
    for name, code in {"text": b"\x8d", "bytes": b"\x8e", "frame": b"\x95"}.items():
        yield f"{name}.pkl", b"\x80\x04" + code + struct.pack("<Q", 2**60) + b"ab."
    yield "bytearray.pkl", b"\x80\x05\x96" + struct.pack("<Q", 2**40) + b"ab."
    yield "long.pkl", b"\x80\x04\x8b" + struct.pack("<i", 2**31 - 1) + b"ab."
    yield "memo.pkl", b"\x80\x04Nr" + struct.pack("<I", 2**32 - 1) + b"."
    twice = b"".join(b"h%ch%c\x86\x94" % (k, k) for k in range(120))  # 2^120 numbers, if walked
    yield "twice.pkl", b"\x80\x04K\x01\x94" + twice + b"."
    deflate = zlib.compressobj(9)
    bomb = deflate.compress(pickle.dumps(b"")[:-1])
    bomb += b"".join(deflate.compress(b"]" * (1 << 20)) for _ in range(200)) + deflate.flush()
    yield "bomb.joblib", bomb


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited in Linux's way")
def test_no_claim_of_a_file_takes_memory_before_it_is_checked(tmp_path: Path) -> None:
    folder = tmp_path / "forged"
    folder.mkdir()
    for files in (fasttext_files(), crfsuite_files(tmp_path), wapiti_files(), text_files(),
                  pickles()):  # fmt: skip
        for name, raw in files:
            (folder / name).write_bytes(raw)
    (folder / "good.bin").write_bytes(fasttext_file())
    done = subprocess.run(
        [sys.executable, "-c", OPENED, str(folder)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said.pop("good.bin") == "opened"
    assert {name: what for name, what in said.items() if what != "ModelFileError"} == {}
    assert len(said) > 50
