# SPDX-License-Identifier: BSD-3-Clause
"""The data sets that can be loaded, one entry each."""

from bayesieve.datasets import declarations
from bayesieve.datasets.loading import Entry, PublishedSums, Subset
from bayesieve.datasets.readers import DeclaredTable, DenseMatrix, Messages, SparseMatrix

__all__ = ["ENTRIES"]

_UCI = "https://archive.ics.uci.edu/static/public"

_GROUPS = (
    "alt.atheism comp.graphics comp.os.ms-windows.misc comp.sys.ibm.pc.hardware comp.sys.mac.hardware comp.windows.x "
    "misc.forsale rec.autos rec.motorcycles rec.sport.baseball rec.sport.hockey sci.crypt sci.electronics sci.med "
    "sci.space soc.religion.christian talk.politics.guns talk.politics.mideast talk.politics.misc talk.religion.misc"
)


def _challenge(name: str, title: str, number: int, reader: DenseMatrix | SparseMatrix, **sha256: str) -> Entry:
    """Return an entry of the NIPS 2003 challenge, whose test labels were never published."""
    files = {each: [f"{name}_{each}.data", *([f"{name}_{each}.labels"] if each != "test" else [])] for each in sha256}
    subsets = {each: Subset(tuple(files[each]), digest) for each, digest in sha256.items()}
    return Entry(
        name, f"NIPS 2003 feature selection challenge: {title}", f"{_UCI}/{number}/{name}.zip", reader, subsets
    )


def _table(name: str, title: str, source: str, file: str, reader: DeclaredTable, sha256: str) -> Entry:
    """Return an entry of one file."""
    return Entry(name, title, f"{_UCI}/{source}.zip", reader, {"all": Subset((file,), sha256)})


_LISTED = (
    _challenge(
        "arcene",
        "distinguish cancer from normal tissue by 10,000 mass-spectrometric features, 3,000 of them probes.",
        167,
        DenseMatrix(10_000),
        train="c1e56fdc3555b50acf2e7cdaf9aa85458a96ce29d799cb5c043e93a42bc6adec",
        valid="d965a11f224657f1312a9778882560136520817f66229e25743b3ff81c994262",
    ),
    _challenge(
        "dexter",
        "find texts about corporate acquisitions by 20,000 word counts, 10,053 of them probes.",
        168,
        SparseMatrix(20_000, valued=True),
        train="79072375118525b864ebcca57a0a32bd653ab1fc1f4d0bff30209e389cc97dae",
        valid="e9ba296897748bebaa223d4921d11e531a79ec80eb2eaa4e4bed70b74c0cca0c",
        test="c2364df9fa3ac9e704fee0f236a169cc9efce7311ed79e23c542b909e3b5cb1b",
    ),
    _challenge(
        "dorothea",
        "find compounds that bind to thrombin by 100,000 binary features, 50,000 of them probes.",
        169,
        SparseMatrix(100_000, valued=False),
        train="861dafc058cf67136ab460b36e16260af3e30bc150073b245a448f4fa0f536d2",
        valid="65faee2a06610d7d36a92fdf4ae8b49d3764188cd38ee1c1b3cb6873f20ec44c",
        test="e2da685c713453c35df2381eeafa58fd05b4e87876c6fddafd21a3afaddc2cbd",
    ),
    Entry(
        "gisette",
        "NIPS 2003 feature selection challenge: tell handwritten 4 from 9 by 5,000 features, half of them probes.",
        f"{_UCI}/170/gisette.zip",
        DenseMatrix(5_000),
        {  # the sums of gisette.param
            "train": Subset(
                ("gisette_train.data", "gisette_train.labels"), sums=PublishedSums(6_000, 3_000, 3_164_568_508)
            ),
            "valid": Subset(
                ("gisette_valid.data", "gisette_valid.labels"), sums=PublishedSums(1_000, 500, 535_016_668)
            ),
            "test": Subset(("gisette_test.data",), sums=PublishedSums(6_500, 3_250, 3_431_572_010)),
        },
    ),
    _challenge(
        "madelon",
        "an artificial parity problem in five of 500 features; 15 combine those and 480 are probes.",
        171,
        DenseMatrix(500),
        train="0627c8426d5492911b5483fae12f7098c265700450f21032d1a487310c8b3207",
        valid="7392c3cc0178d8fb622e2698ae04fb9d0451cd3dec8a35d0adccbe799557959c",
        test="7243bbca81154668a230196f28bf793cdb8073238df83f8836e53d52f2f7e305",
    ),
    _table(
        "breast-w",
        "Breast Cancer Wisconsin (Original): cytological grades of 699 biopsies, benign or malignant.",
        "15/breast+cancer+wisconsin+original",
        "breast-cancer-wisconsin.data",
        DeclaredTable(declarations.BREAST_W, "Class"),
        "b6c57e8f0a6afd1aa332c28c6645c78816626f6f47e2eefb2e1e98be8fafd5a9",
    ),
    Entry(
        "pima",
        "Pima Indians Diabetes: 768 women; 0 means missing in several columns.",
        "https://raw.githubusercontent.com/jbrownlee/Datasets/master/pima-indians-diabetes.data.csv",
        DeclaredTable(declarations.PIMA, "class"),
        {
            "all": Subset(
                ("pima-indians-diabetes.data",), "49530d57b7a5c09d05d23cb554cf39c3a529722d5d9eb6af8bbd7c0696432594"
            )
        },
        license="withdrawn by UCI, elsewhere CC0",
    ),
    _table(
        "heart-statlog",
        "Statlog (Heart): 270 patients, heart disease absent or present.",
        "145/statlog+heart",
        "heart.dat",
        DeclaredTable(declarations.HEART, "class", separator=None),
        "16319dace3534888c2172052e4be49417cc65caa92e8acf788886dbb22b7b940",
    ),
    Entry(
        "spect",
        "SPECT Heart: 22 binary partial diagnoses of cardiac images, normal or abnormal.",
        f"{_UCI}/95/spect+heart.zip",
        DeclaredTable(declarations.SPECT, "OVERALL_DIAGNOSIS"),
        {
            "train": Subset(("SPECT.train",), "a20bcfae7e67f637de3c613eeb7b29cad0c5d0c42d1de18e7a490e193ddb6aa7"),
            "test": Subset(("SPECT.test",), "e280ea0ac0e1fcb5c27e8b8d77952e1fd73da3c9a78357987de0cf476b0443b7"),
        },
    ),
    _table(
        "vote",
        "Congressional Voting Records: 16 votes of 435 members of the House of Representatives in 1984; missing is "
        "neither yea nor nay.",
        "105/congressional+voting+records",
        "house-votes-84.data",
        DeclaredTable(declarations.VOTE, "Class Name"),
        "53ed414f5699f6076b2ca1b3b0af2fa70356dd959966f6dfe9913ff24f14ff93",
    ),
    Entry(
        "horse-colic",
        "Horse Colic: 22 features of 368 horses; was the lesion surgical?",
        f"{_UCI}/47/horse+colic.zip",
        DeclaredTable(declarations.HORSE_COLIC, "surgical_lesion", separator=None),
        {
            "train": Subset(("horse-colic.data",), "4a98908cc7b9ebfbbad77786c6548ddf49a7c86bb5f8858de92c37763e0ebbf1"),
            "test": Subset(("horse-colic.test",), "89c89e785acc49a6612ea0f148d6fc34df8cee9ebe0a7f54a144dc9ff3633f80"),
        },
    ),
    _table(
        "crx",
        "Credit Approval: 690 applications for credit cards, names and values made meaningless.",
        "27/credit+approval",
        "crx.data",
        DeclaredTable(declarations.CRX, "A16"),
        "4a85a8ae8f90a754d1b0fd5e145a3a2eb468494ebbe004f92df05a61b95f63a9",
    ),
    _table(
        "german",
        "Statlog (German Credit Data): 1000 loans, good or bad.",
        "144/statlog+german+credit+data",
        "german.data",
        DeclaredTable(declarations.GERMAN, "class", separator=None),
        "df42b9b308ab0bcdc52e0342bddd49984889e94c06b6cd7d0ef05bd98bd36553",
    ),
    _table(
        "hepatitis",
        "Hepatitis: 155 patients, who lived or died; most categories are UCI's codes.",
        "46/hepatitis",
        "hepatitis.data",
        DeclaredTable(declarations.HEPATITIS, "Class"),
        "18485c20cfeeeb07f005c2869cc3ff3fd45a5b9cf18a9b1ace4f469547a79677",
    ),
    _table(
        "ionosphere",
        "Ionosphere: 351 radar returns, good or bad.",
        "52/ionosphere",
        "ionosphere.data",
        DeclaredTable(declarations.IONOSPHERE, "class"),
        "86e807c7052365c866b37e5e6b4498221a4096deb039bc396e30cccc7760fd97",
    ),
    Entry(
        "20newsgroups",
        "20 Newsgroups, sorted by date: 18,846 messages with their headers.",
        "https://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",
        Messages("20news-bydate", tuple(_GROUPS.split())),
        {
            "train": Subset(("20news-bydate.tar",), "4f75455c9f303725bb8faf30b3f2f8226f191ec99a63bce2ac10e75d0522e001"),
            "test": Subset(("20news-bydate.tar",), "97cdc4e490fe59e02c989a0320db58ab5c8bbcb0f328b030673a5d373b1c719e"),
        },
    ),
    Entry(
        "kdd98",
        "KDD Cup 1998, targets of the validation rows: response to the mailing (TARGET_B) and amount (TARGET_D).",
        "https://kdd.ics.uci.edu/databases/kddcup98/epsilon_mirror/valtargt.txt",
        DeclaredTable(declarations.KDD98, "TARGET_B", header=True),
        {"all": Subset(("valtargt.txt",), "58fac6801b71d9e4f0bd9b179ef085185b55d6e933cba9c6fc51ac207293f62c")},
        license="the terms in the archive's documentation",
    ),
)

ENTRIES = {entry.name: entry for entry in _LISTED}
