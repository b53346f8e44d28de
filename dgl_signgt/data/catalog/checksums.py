"""SHA-256 of archives whose counts were checked against the paper.

An archive with another checksum is as good if its contents are: packing the
same files again changes the checksum. So these are told, never enforced.
"""

from __future__ import annotations

__all__ = ["GOOD_COPIES"]

GOOD_COPIES = {
    "collab": (
        "df23c6e30d90de6c2f41aa627414fc43685d0e55e216bc1574bbee284f7a048d"
    ),
    "mutagenicity": (
        "0730d65f1770366840e7085f8f640953a43b3f1e9109b4ed480c533a3ec8389f"
    ),
    "nci1": (
        "4058fa85bb04f4e2a48e51d1b12961006b053e85df31da19597abd18c506e9bc"
    ),
    "nci109": (
        "48c73bb8407ff49ebc59702937cc3ec4b38bd14422516237e6b9b1259ca706eb"
    ),
    "acm": ("95facea099cd70282ae1a3f5194ce075249bbcd1b5ba44bf07b95f93bde71ed6"),
    "actor": (
        "83fdae86a19678c1deaf097c110cc8cbe3fac80ef9608b73af485d8acffa5a18"
    ),
    "blogcatalog": (
        "2e9299e8f785355bfd2f5dc2e08223d59438021217bb64a0bd03f605020fee88"
    ),
    "chameleon": (
        "9581ee63ae48ae5adf9e73ba488d43fc8f302d9d84daf0df067f7eaca8acceb3"
    ),
    "computer": (
        "e56881836a501613d3d08a4921c76a6bad495196fe53fe3bd9cfb415dfea6e4a"
    ),
    "cora": (
        "39ac5da8f22f05c459585cc001fc08500dbd5365154a65579e4317bf608079cb"
    ),
    "flickr": (
        "2757ebf30d997798d12d6488cf108aa70fb7e506f8d331afc8e0557870268d9e"
    ),
    "photo": (
        "80b5ce74ea0bb46fd24638b520f6228eb60f23cce31bd60d0feca01e0aab08ff"
    ),
    "pubmed": (
        "eb7b0ec575130b3622a2f9fa38102eb64b5bad8186e3f418ff90fae9a2820d25"
    ),
    "squirrel": (
        "98560c8dcf01ae04ef793ec82afe4c613de1092741fc11e4b628f0cc71427cf7"
    ),
    "uai2010": (
        "fad6a068eecdb30d4fde847a2d4178d36f9c6239f08fd84ee3a6428e802c3a07"
    ),
    "chameleon-filtered": (
        "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5"
    ),
    "squirrel-filtered": (
        "f06370ffb3116c5de8b7a600005400b2293c025e0ce2f6916d8201a825505ac7"
    ),
}
