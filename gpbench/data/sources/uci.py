"""The UCI sets that the field compares Gaussian processes on, each with ten published splits, and repaired variants.

What is odd about a set is found by code (`gpbench data audit`); a class says what stands beside its numbers.
"""

from __future__ import annotations

from gpbench.data.suite import Repaired, Suite


class Airfoil(Suite):
    name = "uci-airfoil"
    subject = "Sound pressure of aerofoils in a wind tunnel"
    citation = "T. F. Brooks, D. S. Pope, M. A. Marcolini (1989). Airfoil self-noise and prediction. NASA RP-1218."
    shape = (1503, 5)
    rows = "1cce82516ac9e564fba52f55d817eb147fc39085f5d7b958ad15b92f4207f23e"
    masks = "dbba6121fb8f900350fe10d724b54faa2b67fcc7bfc3409cf7add717281609e4"
    arrays = "90170fb3622e64dd539b4cc94dcfed7eef0ed712594f72da24a1e8dd05d32ded"


class Autompg(Suite):
    """The target is rounded to 0.1."""

    name = "uci-autompg"
    subject = "Fuel consumption of cars"
    citation = "J. R. Quinlan (1993). Combining instance-based and model-based learning. ICML 10."
    shape = (392, 7)
    rows = "31989fbdd7083b901b9f02958581bce9f697e8c27bb3b0d1d0a1cd6d04d6b6c2"
    masks = "4d5e96f4d752bc6effb50ebfc029856c71286abfd64c54e3ae50a8fb62792cb6"
    arrays = "924be02a5d9ec9add4bd4e96df7b554479b71c15c838297c421ac364a289b8ef"


class Bike(Suite):
    """exp(target) is linear in the sum of inputs 16 and 17; inputs 5 and 6 copy 1 and 2."""

    name = "uci-bike"
    subject = "Log of the number of bicycles rented in an hour"
    citation = "H. Fanaee-T, J. Gama (2014). Event labeling combining ensemble detectors. Progress in AI 2, 113-127."
    shape = (17379, 17)
    rows = "411f76ae426c0e348a2629dcf6b3b29102c7db465eae780a3454c39db1dfac4f"
    masks = "cf13dc25e80c03019cf2b01666f9cc29b03ea222f5c519536023ea56669bf337"
    arrays = "b3e7f1cad42b96f4b51a0d8de7062459ad576631a05124ba17a866be47d1beaa"
    notes = ("exp(target) is linear in inputs 16 and 17: the set leaks its target",)


class Challenger(Suite):
    """The target takes three values; input 1 is constant."""

    name = "uci-challenger"
    subject = "Distressed O-rings of space shuttle flights"
    citation = "D. Draper (1995). Assessment and propagation of model uncertainty. J. Royal Stat. Soc. B 57, 45-97."
    shape = (23, 4)
    rows = "2cbf94937ccdf235b4a24006b74dc2132b620fa7516e0c7b7838e37d7a974f7a"
    masks = "de4f2fd395ecd38ad43f0cf7dd5def8795a93fcf12acbef20b0f3c434d120d74"
    arrays = "a6bc0df6e6f35e2d084cc18a5de986840edee72b5fbd50c9f8f7c2d3ff314e7e"


class Concreteslump(Suite):
    name = "uci-concreteslump"
    subject = "Slump flow of concrete"
    citation = "I-C. Yeh (2007). Modeling slump flow of concrete. Cement and Concrete Composites 29, 474-480."
    shape = (103, 7)
    rows = "6e5cf235fccd8ca8ba2631bd935a8c8f3ee9cc702bfa242b59995a8d2133dd77"
    masks = "7959d17ea0ad8f3a9a4dd5d7eb95c7ba760a50dff435230944c000deb7001661"
    arrays = "439ed605986084a0062d5e3d01ee1f6c60da7a9b16bb8c68d168208154a004f1"


class Elevators(Suite):
    """The target takes 61 values: its exponential is rounded."""

    name = "uci-elevators"
    subject = "Control of the elevators of an F16 aircraft"
    citation = "R. Camacho (1998). Inducing models of human control skills. ECML 10; L. Torgo's regression data sets."
    shape = (16599, 18)
    rows = "e39bc18a80ec3611e4fd76d0f86ee377e96ba21b568b9997576d538dafe56b7b"
    masks = "9fe662eacca95ae2c9301cbc4c4134e55d58e903cb0cfb683771ffdd2d248eb5"
    arrays = "6b93883761d4f3ed7539d02501dfa53dc06adcb7ce869d91eb485bce23ede5cb"


class Fertility(Suite):
    """The target takes 14 values; 4 rows share their inputs with a row of another target."""

    name = "uci-fertility"
    subject = "Seminal quality"
    citation = "D. Gil et al. (2012). Predicting seminal quality. Expert Systems with Applications 39, 12564-12573."
    shape = (100, 9)
    rows = "625fa438350ac2da26eafef2c9dd3878755ef707af309c7f441df14412899e29"
    masks = "e1e050098d05e1938f12724c4cedb87228b68943f345e5c9bcb66f75b5a100ee"
    arrays = "42b24a7703d4616b9852a33f01030ba98bbe3193656db8811c5d0151fa1f0ae0"


class Forest(Suite):
    """13 of 517 rows repeat the inputs of another."""

    name = "uci-forest"
    subject = "Burned area of forest fires"
    citation = "P. Cortez, A. Morais (2007). A data mining approach to predict forest fires. EPIA 13."
    shape = (517, 12)
    rows = "36f3177c8e2e3d8773c0e34116d93ce37f9d58189d861d661bdde2f022999ee7"
    masks = "0c861cacf163cfc50364a4be1376c6e82cff71344b9e12f261dbc0fba0c26854"
    arrays = "ee0b9903dae555fe73ed78d8985a5a9787be1fee8bc6cbf502ad115fc6fc3363"


class Housing(Suite):
    """The target values are those of `boston`, centred and in another order."""

    name = "uci-housing"
    subject = "House prices in Boston"
    citation = "D. Harrison, D. L. Rubinfeld (1978). Hedonic housing prices. J. Environ. Econ. Manage. 5, 81-102."
    shape = (506, 13)
    rows = "9f5b8a1cbc051465dcf10f4298aaccd8a596ea68de0db693159be6e7d07ccf12"
    masks = "4c114b259566dd04b92befc3f22709d77fe1d5a9048cebe2452c50d57056c1ac"
    arrays = "43193134d6286a9a0b75032ff69e4fc9e0a8a4b743e728dc2d8cdac83c9ca2bf"


class Keggdirected(Suite):
    """33016 of 48827 rows repeat the inputs of another; inputs 14 and 16 copy input 11."""

    name = "uci-keggdirected"
    subject = "Metabolic pathways as directed graphs"
    citation = "M. Naeem, S. Asghar (2011). KEGG metabolic relation network (directed). UCI repository."
    shape = (48827, 20)
    rows = "51b7bb56e3f3eae36273cdd5a549c042bdf0ec10948a6f8e6b01a1d6912212cd"
    masks = "b8a7fc902444fdbc5866e8bf314e4778a303d675ef5267c83c5c25b70dacd357"
    arrays = "7a0a7f59e766265bce35e162652cb04f004a5da89c49acbde2fc7f9823028822"
    notes = ("three of four test rows have their inputs in training",)


class Kin40k(Suite):
    name = "uci-kin40k"
    subject = "Forward kinematics of an 8-link robot arm"
    citation = (
        "A. Schwaighofer, V. Tresp (2003). Transductive and inductive methods for approximate regression. NIPS 15."
    )
    shape = (40000, 8)
    rows = "9bee7f2a9f39aa61a015f239378368601fb3978c5bb9a96433e88a55d40883ba"
    masks = "d15fd645d0e81a9a17ce2d0b8dde470bb2efba4d5f417459965abe4b237e2aea"
    arrays = "164b33704fe1f575884b53692a7f1c9eb411bb16c587667a1ea2b9e40afcc17f"


class Machine(Suite):
    """19 of 209 rows repeat the inputs of another."""

    name = "uci-machine"
    subject = "Log of the performance of computers"
    citation = "P. Ein-Dor, J. Feldmesser (1987). Attributes of the performance of CPUs. CACM 30, 308-317."
    shape = (209, 7)
    rows = "aae8f76a052a874dc45b363124515a5192d6ff7dafad04752e87683199babca4"
    masks = "16125e6c73fdd8842ca9a3241e4e0e4fdd71b8099ec80b9e13f8c8e5848791d5"
    arrays = "46a3eb8c912133ee78345d356e87fb6822b608373aec27309bb0d3599d1efaa0"
    notes = ("one of six test rows has its inputs in training",)


class Parkinsons(Suite):
    """Input 1 numbers the 42 patients, whose rows are on both sides of every split; inputs 9 and 15 copy 7 and 12."""

    name = "uci-parkinsons"
    subject = "Total UPDRS score of patients from their voice"
    citation = "A. Tsanas et al. (2010). Accurate telemonitoring of Parkinson's disease. IEEE Trans. Biomed. Eng. 57."
    shape = (5875, 20)
    rows = "d20ffd9c9e5053a03fff0b770e7b0e076bf856a34538198303c897b6cc6addde"
    masks = "090794e6acb34ce9134ce2ac530b60c408adc646e45f9296adf0e3eb134f1a64"
    arrays = "df29b7aa2e70021e1ffdd98a3891f3e78f7332ca29725aced2c98481bd763e7e"


class Pendulum(Suite):
    name = "uci-pendulum"
    subject = "A simulated pendulum"
    citation = "Z. Yang, A. Smola, L. Song, A. G. Wilson (2015). A la carte - learning fast kernels. AISTATS 18."
    shape = (630, 9)
    rows = "f342636da3047aeb5393a3163974f50e94098c1df9392423e61161eedac2de9e"
    masks = "1da77f6e2b2fe40c6ee4a26b708eb2ef7803d825144259791a37470b573523ac"
    arrays = "edfbfdd11b45d677c273c98298c09c61cb8ab787b964b71306581a89d067c768"


class Pol(Suite):
    """The target takes 11 values, multiples of 10; 42 of 15000 rows repeat the inputs of another."""

    name = "uci-pol"
    subject = "A telecommunication problem (pole telecomm)"
    citation = "S. M. Weiss, N. Indurkhya (1995). Rule-based machine learning methods. JAIR 3, 383-403."
    shape = (15000, 26)
    rows = "1c16126352954571e78f52d5a9d1b947a38655885d7cadd9407a4c9615fe4e04"
    masks = "c5540259aabe58f5c7a534ed6f5141f8c1157d5de592e45884b7fced6091e981"
    arrays = "f8632aeb0b44c3fe949fa540ef3ecfa9912268bbe050031886cc07b4a4ad3e3f"


class Protein(Suite):
    """1758 of 45730 rows repeat the inputs of another."""

    name = "uci-protein"
    subject = "Deviation of protein structures from the native one"
    citation = "P. S. Rana (2013). Physicochemical properties of protein tertiary structure. UCI repository."
    shape = (45730, 9)
    rows = "f709d0107c3ee90ab019b9e5d77fc2ae182158958cb70b1903236a51334fd01b"
    masks = "22afe05e8d17c428558d78a77efeecc08d58004b6c95741d1c533c3207c69fe9"
    arrays = "b77b8023db6af04cb1d61eec09755e7f430611b14439761c672e5097c2bdb2fc"
    notes = ("one of fifteen test rows has its inputs in training",)


class Pumadyn32nm(Suite):
    name = "uci-pumadyn32nm"
    subject = "Forward dynamics of a Puma 560 robot arm"
    citation = "DELVE, Data for Evaluating Learning in Valid Experiments, University of Toronto (1996): pumadyn."
    shape = (8192, 32)
    rows = "10d1698944e0f6e586f2781e4b62c17c05174d4c6cdb6fb824a3e5a1b3630ae4"
    masks = "5a70d06c54813712456b3631ef406094c121a20fdc68b2dd400a1045f45b3f43"
    arrays = "4181bdbc8df1424357b806d89ad484828cd7e7327c9d0956b28c8384b759f34c"


class Servo(Suite):
    name = "uci-servo"
    subject = "Rise time of a servomechanism"
    citation = "J. R. Quinlan (1992). Learning with continuous classes. AI '92."
    shape = (167, 4)
    rows = "1c18994b739e50bf8dde9d5863680d8aa8ac8f71944adcde1368acac094be6b9"
    masks = "ea63865e63b9146e3fc343b859ecbb9abc6dc233b3ec7999e615cdedc4963b8b"
    arrays = "ce4863208c749410263d5ff4e75068c79167f29fa506fb4e07005e848a04f8fc"


class Skillcraft(Suite):
    """Input 1 has another value in every row: it numbers the games."""

    name = "uci-skillcraft"
    subject = "Latency of actions of players of StarCraft 2"
    citation = "J. J. Thompson et al. (2013). Video game telemetry in the study of complex skill learning. PLOS ONE 8."
    shape = (3338, 19)
    rows = "41233f5ea6bf596b04aa64f5eaf9bf4489ddeec53524fe2cc46d75bc7d480c0e"
    masks = "d97279b0da7415b80b3a0e8b6acb552bc7f974dc42f142a23a74f645b414736e"
    arrays = "fd5f9e7e20c3b6b1432457030c655419315f8857eb5f3f14da42d1cab511f540"


class Tamielectric(Suite):
    """The target is uniform; 270 of 45781 rows repeat the inputs of another."""

    name = "uci-tamielectric"
    subject = "Electricity readings in Tamil Nadu"
    citation = "K. Shyamala, R. Chellammal (2013). Tamilnadu Electricity Board hourly readings. UCI repository."
    shape = (45781, 3)
    rows = "63507ad1493bd7f36436a900bd2bebaf957d326c6cc20120ab5aefe680f3083a"
    masks = "2c1ba1c09caf1c59cc3893ace43f657e8f86fed85f66c1c45a13e52f38825b2f"
    arrays = "4ac89a7d17cf85142e911458ebba48f1f1d55b44ecb631364d1f90b05bae072c"


class Wine(Suite):
    """The target is the alcohol, input 11 the quality; 244 of 1599 rows repeat the inputs of another."""

    name = "uci-wine"
    subject = "Alcohol of red wines"
    citation = "P. Cortez et al. (2009). Modeling wine preferences by data mining. Decision Support Systems 47."
    shape = (1599, 11)
    rows = "e2ca3346651ddb43fbc6a1355e70e74b7ce68f93059e04405e9cb749c219eae2"
    masks = "df80c2a700eafb42230991dd7a94c08d47baea55dde125a0a0dcae08964d4559"
    arrays = "465ad28cdf7610cce9edf91ea84cc9611cc7d8f0728f45c122ab11e75d73d480"
    notes = ("one of four test rows has its inputs in training",)


class Yacht(Suite):
    name = "uci-yacht"
    subject = "Resistance of sailing yachts"
    citation = "J. Gerritsma et al. (1981). Geometry, resistance and stability of yacht hulls. Int. Shipb. Progress 28."
    shape = (308, 6)
    rows = "88ec8ea1a979ab0628a54392822c60b3699ea22541e912e83246f7d49f5adad1"
    masks = "2f6d6b091146887589db66073317b8485e853d27e664b99b8b402ad57ba4a936"
    arrays = "dd44d3b0fe682ccbe2604fc24334247a8c5d8334ce607a84630a1987d3610c62"


class BikeRepaired(Repaired, Bike):
    name = "uci-bike-repaired"
    leaks = (16, 17)


class FertilityRepaired(Repaired, Fertility):
    name = "uci-fertility-repaired"


class ForestRepaired(Repaired, Forest):
    name = "uci-forest-repaired"


class KeggdirectedRepaired(Repaired, Keggdirected):
    name = "uci-keggdirected-repaired"


class MachineRepaired(Repaired, Machine):
    name = "uci-machine-repaired"


class PolRepaired(Repaired, Pol):
    name = "uci-pol-repaired"


class ProteinRepaired(Repaired, Protein):
    name = "uci-protein-repaired"


class TamielectricRepaired(Repaired, Tamielectric):
    name = "uci-tamielectric-repaired"


class WineRepaired(Repaired, Wine):
    name = "uci-wine-repaired"
