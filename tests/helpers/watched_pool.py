"""A pool of candidates that records what it gave."""


class Watched:
    """A pool that remembers what was drawn and how it was scored at each step."""

    def __init__(self, pool):
        self.pool, self.steps = pool, []

    @property
    def kept(self):
        return self.pool.kept

    def draw(self, state):
        self.steps.append(([], []))
        yield from self.pool.draw(state)

    def note(self, candidates, scores):
        self.steps[-1][0].extend(candidates.index.tolist())
        self.steps[-1][1].extend(scores.tolist())
        self.pool.note(candidates, scores)

    def learn(self, state, chosen):
        self.pool.learn(state, chosen)
