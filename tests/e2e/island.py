"""One small study over all four modes, which many tests read: its corpus, space and results."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.corpus_files import write_corpus
from tests.e2e.command import Finished

ISLAND = {
    "boat": ("The supply boat", "The supply boat comes on Tuesday and Friday when the sea is calm."
             " In a gale it stays in the harbour of Skerra, and the stores must last nine days."
             " Diesel drums are unloaded first, then food, then the post bag."),
    "boat-2019": ("The supply boat (2019)", "The supply boat comes once a week, on Wednesday."
                  " Diesel drums are unloaded last. This page was replaced."),
    "café": ("Café and canteen", "The café near the jetty opens at seven. Crêpes are served on"
             " Sunday; the naïve visitor who asks for an espresso gets tea instead."),
    "fog": ("Fog signal", "The fog signal sounds two blasts of three seconds every minute."
            " Start the compressor before visibility falls below two nautical miles."
            " Log the start and the end of fog in the signal book."),
    "generator": ("Diesel generators", "Two diesel generators, GX-40 and GX-41, feed the station."
                  " Change the oil after 250 hours. If GX-40 stops with error E17, clean the fuel"
                  " filter and bleed the injection pump before you restart it."),
    "lamp": ("The lamp", "The lamp turns once in twenty seconds and shows three white flashes."
             " Wipe the lens every morning with spirit of wine and a linen cloth, never water."
             " A spare bulb lies in the brass box under the stairs."),
    "birds": ("Storm petrels", "Storm petrels nest in the boulder field from May to September."
              " Keep lamps shaded at night and do not walk there after sunset."),
    "water": ("Rain water", "Drinking water is collected from the roof into two cisterns."
              " Add one chlorine tablet for each five hundred litres and wait half an hour."),
    "radio": ("Radio watch", "Keep radio watch on channel 16. Weather is read at 06:15 and 18:15."
              " For a medical emergency call the coast guard on channel 16 and ask for a doctor."),
    "weather": ("Weather log", "Read wind, pressure and temperature every three hours."
                " A fall of more than three hectopascals in three hours announces a gale."),
}  # fmt: skip
QUESTIONS = {
    "q1": ("On which days does the supply boat come?", {"boat": 3, "boat-2019": 1}),
    "q2": ("what to clean with E17 on the GX-40", {"generator": 3}),
    "q3": ("How do I wipe the glass of the lighthouse?", {"lamp": 2, "birds": 0}),
    "q4": ("when to start the foghorn", {"fog": 3}),
    "q5": ("Is the water safe to drink?", {"water": 2}),
    "q6": ("whom do I call if somebody is ill", {"radio": 3}),
    "q7": ("signs of an approaching storm", {"weather": 3, "boat": 1}),
    "q8": ("crêpes at the café", {"café": 2}),
    "q9": ("seabirds nesting season", {"birds": 3}),
}
ANSWERS = {  # query -> document, passage, grade
    "q2": ("generator", "clean the fuel filter", 3),
    "q3": ("lamp", "spirit of wine and a linen cloth", 2),
    "q9": ("birds", "from May to September", 3),
}
MODES = {
    "name": "island",
    "corpus": "island corpus",
    "objective": "ndcg@5",
    "constraints": ["context_tokens <= 400"],
    "baseline": {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "words", "size": 12}},
    "space": [
        {
            "mode": ["bm25", "vector", "hybrid"],
            "top_k": 5,
            "chunk": {"splitter": "tokens", "size": [16, 32], "overlap": 0.25},
            "hybrid": {"fusion": ["rrf", "weighted"], "weight": 0.5},
        },
        {
            "mode": "rerank",
            "top_k": 5,
            "chunk": {"splitter": "tokens", "size": 32, "overlap": 0.25},
            "hybrid": {"fusion": "weighted", "weight": 0.5},
            "rerank": {"kind": "maxsim", "candidates": "hybrid", "depth": 6, "blend": [0.5, 1.0]},
        },
    ],
}
CONFIGURATIONS = 11  # 2 bm25, 2 vector, 4 hybrid, 2 rerank and the baseline


def write_island(folder: Path) -> Path:
    """Write a corpus of ten short pages and nine questions."""
    documents = [
        {"_id": id_, "title": title, "text": text, "metadata": {"section": id_[:1]}}
        for id_, (title, text) in ISLAND.items()
    ]
    queries = [{"_id": id_, "text": text} for id_, (text, _) in QUESTIONS.items()]
    qrels = ["query-id\tcorpus-id\tscore"]
    for id_, (_, grades) in QUESTIONS.items():
        qrels += [f"{id_}\t{document}\t{grade}" for document, grade in grades.items()]
    spans = []
    for query, (document, passage, grade) in ANSWERS.items():
        start = ISLAND[document][1].index(passage)
        spans.append({"query-id": query, "corpus-id": document, "start": start,
                      "end": start + len(passage), "score": grade})  # fmt: skip
    text = "\n".join(qrels) + "\n"
    return write_corpus(folder, corpus=documents, queries=queries, qrels=text, spans=spans)


@dataclass(frozen=True, slots=True)
class Island:
    """A finished study over all four modes, and where it lies; tests only read it."""

    folder: Path
    store: Path
    run: Finished
    trials: list[dict[str, Any]]

    @property
    def env(self) -> dict[str, str]:
        """Return what makes a command find the store."""
        return {"SWEEP_STORE": str(self.store)}

    def number(self, mode: str) -> int:
        """Return the lowest number of the trials of a mode."""
        return int(min(t["number"] for t in self.trials if t["params"]["mode"] == mode))
