# SPDX-License-Identifier: BSD-3-Clause
"""The columns of the UCI tables, from their documentation: see `DeclaredTable` for the notation."""

__all__ = [
    "BREAST_W",
    "CRX",
    "GERMAN",
    "HEART",
    "HEPATITIS",
    "HORSE_COLIC",
    "IONOSPHERE",
    "KDD98",
    "PIMA",
    "SPECT",
    "VOTE",
]

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
