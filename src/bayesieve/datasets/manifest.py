# SPDX-License-Identifier: BSD-3-Clause
"""The data sets that can be loaded, one entry each, with the declared columns of those that are a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bayesieve.datasets.readers import DeclaredTable, DenseMatrix, Messages, Sample, SparseMatrix, fingerprint

__all__ = ["ENTRIES", "Entry", "PublishedSums", "Reader", "Subset"]


class Reader(Protocol):
    """Reads the bytes of a subset's files as a sample."""

    @property
    def feature_names(self) -> Any:
        """Names of the columns."""

    @property
    def target_names(self) -> tuple[str, ...]:
        """Names of the classes 0, 1, ..., the positive one last; empty if the classes are numbers."""

    def read(self, contents: Any, subset: str) -> Sample:
        """Read one subset; a ValueError, LookupError or the like means that the files hold something else."""


@dataclass(frozen=True)
class PublishedSums:
    """What the organizers of a challenge published of a subset: rows, positive rows and the sum of all numbers."""

    n_rows: int
    n_positive: int
    total: float


@dataclass(frozen=True)
class Subset:
    """The files of a subset, matrix first, and the fingerprint of their content, or sums where it is not known."""

    files: tuple[str, ...]
    sha256: str = ""
    sums: PublishedSums | None = None

    def difference(self, sample: Sample) -> str:
        """Return in words how a sample differs from what is published; empty if it does not."""
        if self.sums is not None:
            positive = None if sample.target is None else int((sample.target == 1).sum())
            found = (len(sample.data), self.sums.n_positive if positive is None else positive, float(sample.data.sum()))
            expected = (self.sums.n_rows, self.sums.n_positive, self.sums.total)
            names = ("rows", "positive rows", "sum of all numbers")
            wrong = [each for each in zip(names, found, expected, strict=True) if each[1] != each[2]]
            return f"{wrong[0][0]} {wrong[0][1]:.12g}, expected {wrong[0][2]:.12g}" if wrong else ""
        digest = fingerprint(sample)
        same = digest == self.sha256
        return "" if same else f"SHA-256 of the table {digest[:12]}, expected {self.sha256[:12]}"


@dataclass(frozen=True)
class Entry:
    """A data set: the name of its folder, its title, source, reader and subsets."""

    name: str
    title: str
    url: str
    reader: Reader
    subsets: Mapping[str, Subset]
    license: str = "CC BY 4.0"


# Columns of the tables, from their documentation: see `DeclaredTable` for the notation.
BREAST_W = """
(Sample code number)
Clump Thickness
Uniformity of Cell Size
Uniformity of Cell Shape
Marginal Adhesion
Single Epithelial Cell Size
Bare Nuclei
Bland Chromatin
Normal Nucleoli
Mitoses
Class | 2 benign | 4 malignant
"""

PIMA = """
pregnancies
plasma_glucose
diastolic_blood_pressure
triceps_skin_fold
serum_insulin
body_mass_index
diabetes_pedigree
age
class | 0 tested_negative | 1 tested_positive
"""

HEART = """
age
sex
chest
resting_blood_pressure
serum_cholestoral
fasting_blood_sugar
resting_electrocardiographic_results
maximum_heart_rate_achieved
exercise_induced_angina
oldpeak
slope
number_of_major_vessels
thal
class | 1 absent | 2 present
"""

SPECT = "OVERALL_DIAGNOSIS | 0 normal | 1 abnormal\n" + "\n".join(f"F{j}" for j in range(1, 23))

VOTE = """
Class Name | democrat | republican
handicapped-infants | y | n
water-project-cost-sharing | y | n
adoption-of-the-budget-resolution | y | n
physician-fee-freeze | y | n
el-salvador-aid | y | n
religious-groups-in-schools | y | n
anti-satellite-test-ban | y | n
aid-to-nicaraguan-contras | y | n
mx-missile | y | n
immigration | y | n
synfuels-corporation-cutback | y | n
education-spending | y | n
superfund-right-to-sue | y | n
crime | y | n
duty-free-exports | y | n
export-administration-act-south-africa | y | n
"""

# A young horse is 2 in the documentation and 9 in the file, which also has a refill time that is not explained.
HORSE_COLIC = """
surgery | 1 yes | 2 no
Age | 1 adult | 9 young
(hospital number)
rectal_temperature
pulse
respiratory_rate
temp_extremities | 1 normal | 2 warm | 3 cool | 4 cold
peripheral_pulse | 1 normal | 2 increased | 3 reduced | 4 absent
mucous_membranes | 1 normal pink | 2 bright pink | 3 pale pink | 4 pale cyanotic | 5 bright red | 6 dark cyanotic
capillary_refill_time | 1 <3 | 2 >=3 | 3 meaning unknown
pain | 1 alert no pain | 2 depressed | 3 intermittent mild pain | 4 intermittent severe pain | 5 continuous severe pain
peristalsis | 1 hypermotile | 2 normal | 3 hypomotile | 4 absent
abdominal_distension | 1 none | 2 slight | 3 moderate | 4 severe
nasogastric_tube | 1 none | 2 slight | 3 significant
nasogastric_reflux | 1 none | 2 >1l | 3 <1l
nasogastric_reflux_PH
rectal_examination | 1 normal | 2 increased | 3 decreased | 4 absent
abdomen|1 normal|2 other|3 firm feces in large intestine|4 distended small intestine|5 distended large intestine
packed_cell_volume
total_protein
abdominocentesis_appearance | 1 clear | 2 cloudy | 3 serosanguinous
abdomcentesis_total_protein
outcome | 1 lived | 2 died | 3 euthanized
surgical_lesion | 1 yes | 2 no
(lesion 1)
(lesion 2)
(lesion 3)
(cp_data)
"""

CRX = """
A1 | b | a
A2
A3
A4 | u | y | l | t
A5 | g | p | gg
A6 | c | d | cc | i | j | k | m | r | q | w | x | e | aa | ff
A7 | v | h | bb | j | n | z | dd | ff | o
A8
A9 | t | f
A10 | t | f
A11
A12 | t | f
A13 | g | p | s
A14
A15
A16 | - | +
"""

GERMAN = """
status | A11 | A12 | A13 | A14
duration
credit_history | A30 | A31 | A32 | A33 | A34
purpose | A40 | A41 | A42 | A43 | A44 | A45 | A46 | A47 | A48 | A49 | A410
credit_amount
savings | A61 | A62 | A63 | A64 | A65
employment_since | A71 | A72 | A73 | A74 | A75
installment_rate
personal_status | A91 | A92 | A93 | A94 | A95
other_debtors | A101 | A102 | A103
residence_since
property | A121 | A122 | A123 | A124
age
other_installment_plans | A141 | A142 | A143
housing | A151 | A152 | A153
existing_credits
job | A171 | A172 | A173 | A174
people_liable
telephone | A191 | A192
foreign_worker | A201 | A202
class | 1 good | 2 bad
"""

# Two documents disagree about which code of some columns means yes, so the codes stay as they are.
HEPATITIS = """
Class | 2 LIVE | 1 DIE
AGE
SEX | 1 | 2
STEROID | 1 | 2
ANTIVIRALS | 1 | 2
FATIGUE | 1 | 2
MALAISE | 1 | 2
ANOREXIA | 1 | 2
LIVER_BIG | 1 | 2
LIVER_FIRM | 1 | 2
SPLEEN_PALPABLE | 1 | 2
SPIDERS | 1 | 2
ASCITES | 1 | 2
VARICES | 1 | 2
BILIRUBIN
ALK_PHOSPHATE
SGOT
ALBUMIN
PROTIME
HISTOLOGY | 1 | 2
"""

IONOSPHERE = "\n".join(f"a{j:02}" for j in range(1, 35)) + "\nclass | g good | b bad"

KDD98 = """
CONTROLN
TARGET_B | 0 no donation | 1 donation
TARGET_D
"""


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
        DeclaredTable(BREAST_W, "Class"),
        "b6c57e8f0a6afd1aa332c28c6645c78816626f6f47e2eefb2e1e98be8fafd5a9",
    ),
    Entry(
        "pima",
        "Pima Indians Diabetes: 768 women; 0 means missing in several columns.",
        "https://raw.githubusercontent.com/jbrownlee/Datasets/master/pima-indians-diabetes.data.csv",
        DeclaredTable(PIMA, "class"),
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
        DeclaredTable(HEART, "class", separator=None),
        "16319dace3534888c2172052e4be49417cc65caa92e8acf788886dbb22b7b940",
    ),
    Entry(
        "spect",
        "SPECT Heart: 22 binary partial diagnoses of cardiac images, normal or abnormal.",
        f"{_UCI}/95/spect+heart.zip",
        DeclaredTable(SPECT, "OVERALL_DIAGNOSIS"),
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
        DeclaredTable(VOTE, "Class Name"),
        "53ed414f5699f6076b2ca1b3b0af2fa70356dd959966f6dfe9913ff24f14ff93",
    ),
    Entry(
        "horse-colic",
        "Horse Colic: 22 features of 368 horses; was the lesion surgical?",
        f"{_UCI}/47/horse+colic.zip",
        DeclaredTable(HORSE_COLIC, "surgical_lesion", separator=None),
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
        DeclaredTable(CRX, "A16"),
        "4a85a8ae8f90a754d1b0fd5e145a3a2eb468494ebbe004f92df05a61b95f63a9",
    ),
    _table(
        "german",
        "Statlog (German Credit Data): 1000 loans, good or bad.",
        "144/statlog+german+credit+data",
        "german.data",
        DeclaredTable(GERMAN, "class", separator=None),
        "df42b9b308ab0bcdc52e0342bddd49984889e94c06b6cd7d0ef05bd98bd36553",
    ),
    _table(
        "hepatitis",
        "Hepatitis: 155 patients, who lived or died; most categories are UCI's codes.",
        "46/hepatitis",
        "hepatitis.data",
        DeclaredTable(HEPATITIS, "Class"),
        "18485c20cfeeeb07f005c2869cc3ff3fd45a5b9cf18a9b1ace4f469547a79677",
    ),
    _table(
        "ionosphere",
        "Ionosphere: 351 radar returns, good or bad.",
        "52/ionosphere",
        "ionosphere.data",
        DeclaredTable(IONOSPHERE, "class"),
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
        DeclaredTable(KDD98, "TARGET_B", header=True),
        {"all": Subset(("valtargt.txt",), "58fac6801b71d9e4f0bd9b179ef085185b55d6e933cba9c6fc51ac207293f62c")},
        license="the terms in the archive's documentation",
    ),
)

ENTRIES = {entry.name: entry for entry in _LISTED}
