import { percentWords, shownEpsilon } from '@hushrec/model/words';
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import {
  alexLikes,
  attackersBelief,
  attackersScore,
  type GuessGame,
  guessGames,
  guessPeople,
  mostRight,
} from './guess-odds.js';

/** Tries that one score is made of. */
const tries = 12;

/** Rounds in an order that nobody knows. */
function shuffled(count: number): number[] {
  const keys = crypto.getRandomValues(new Uint32Array(count));
  return Array.from({ length: count }, (_, round) => round).sort((a, b) => keys[a] - keys[b]);
}

/**
 * ε understood by trying: one model after the other, trained with or without Alex by a fair coin; the visitor
 * says which, with what the best attacker knows. A single model is shown, not a pair at once: telling two
 * apart would be easier than the promise about one says.
 */
export function Guess() {
  const game = useSignal<GuessGame>(guessGames[0]);
  return (
    <section class="card guess" aria-labelledby="guess">
      <div class="guess-words">
        <h2 id="guess">Can you tell who was in it?</h2>
        <p class="small quiet">
          {`Here are real models of a sample of ${guessPeople.toLocaleString('en')} invented people. A coin decided whether Alex was one of them. Alex loves ${alexLikes.slice(0, -1).join(', ')} and ${alexLikes.at(-1)}.`}
        </p>
        <fieldset class="segments">
          <legend class="visually-hidden">How private are the models?</legend>
          {guessGames.map((each) => (
            <label key={each.epsilon}>
              <input
                type="radio"
                name="guess-epsilon"
                checked={game.value === each}
                onChange={() => {
                  game.value = each;
                }}
              />
              {`ε = ${shownEpsilon(each.epsilon)}`}
            </label>
          ))}
        </fieldset>
      </div>
      <Rounds key={game.value.epsilon} game={game.value} />
    </section>
  );
}

function Rounds({ game }: { game: GuessGame }) {
  const order = useMemo(() => shuffled(game.rounds.length), [game]);
  const guesses = useSignal<readonly boolean[]>([]);
  const last = useSignal<string>('');
  const done = guesses.value.length;
  const round = game.rounds[order[done % order.length]];
  const right = guesses.value.filter(Boolean).length;
  const limit = mostRight(game);
  const guess = (saysIn: boolean) => {
    const isRight = saysIn === round.isIn;
    guesses.value = [...guesses.value, isRight];
    last.value = `${isRight ? 'Right' : 'Wrong'}: Alex ${round.isIn ? 'was' : 'was not'} in it.`;
  };
  if (done === tries)
    return (
      <div class="guess-round">
        <Score guesses={guesses.value} game={game} />
        <p class="small">
          {`${right} right. Chance gives ${tries / 2}. In the long run, following the best attacker is right in ${Math.round(100 * attackersScore(game))} of 100, and nobody can be right in more than ${percentWords(limit)}: that is the promise at ε = ${shownEpsilon(game.epsilon)}.`}
        </p>
        <button
          type="button"
          onClick={() => {
            guesses.value = [];
            last.value = '';
          }}
        >
          Once more
        </button>
      </div>
    );
  return (
    <div class="guess-round">
      <p class="micro">{`Model ${done + 1} of ${tries} lists for Alex:`}</p>
      <p class="small guess-list">{round.list.join(' · ')}</p>
      <Attacker belief={attackersBelief(round)} />
      <div class="row guess-buttons">
        <button type="button" onClick={() => guess(true)}>
          Alex was in it
        </button>
        <button type="button" onClick={() => guess(false)}>
          Alex was not
        </button>
        <span class="small" role="status">
          {last.value}
        </span>
      </div>
      <Score guesses={guesses.value} game={game} />
    </div>
  );
}

function Attacker({ belief }: { belief: number }) {
  return (
    <>
      <p class="micro">
        The best attacker, who knows everyone else’s ratings and Alex’s, says:{' '}
        <strong>{`${percentWords(belief)} in it`}</strong>
      </p>
      <div
        class="attacker"
        role="img"
        aria-label={`The best attacker is ${percentWords(belief)} sure that Alex was in it.`}
        ref={(bar) => bar?.style.setProperty('--at', `${100 * belief}%`)}
      />
    </>
  );
}

/** Right guesses as blocks, with chance and the limit marked on the same line. */
function Score({ guesses, game }: { guesses: readonly boolean[]; game: GuessGame }) {
  const right = guesses.filter(Boolean).length;
  const limit = mostRight(game);
  return (
    <div
      class="score"
      role="img"
      aria-label={`${right} of ${guesses.length} right. Chance is half, the limit ${percentWords(limit)}.`}
      ref={(bar) => bar?.style.setProperty('--limit', `${100 * limit}%`)}
    >
      <div class="score-blocks">
        {Array.from({ length: tries }, (_, block) => (
          <i key={block} class={block < right ? 'on' : block < guesses.length ? 'off' : ''} />
        ))}
      </div>
      <p class="score-marks micro" aria-hidden="true">
        <span class="chance">chance 50%</span>
        <span class="limit-mark">{`limit ${percentWords(limit)}`}</span>
      </p>
    </div>
  );
}
