import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { changeWords } from '../list-changes.js';
import { Icon } from '../parts/drawn.js';
import { titleSearch } from '../search-titles.js';
import { titleParts } from '../title-parts.js';
import { Poster } from './poster.js';
import { RatingControl } from './stars.js';
import type { TryState } from './state.js';

const shownItems = 6;
const suggestedAtOnce = 3;
/** How long a card stays after its rating, so that the effect is seen with its cause. */
const nextAfter = 900;

/** Find and rate: on a wide screen two lists, on a phone one card after the other. */
export function ToRate({ state }: { state: TryState }) {
  const { query, rated, forgotten, known, ratings, just } = state;
  const search = useMemo(() => titleSearch(state.catalogue.titles), [state]);
  const isSearching = query.value.trim() !== '';
  const found = useComputed(() =>
    query.value.trim() === ''
      ? firstOf(known, (id) => !ratings.value.has(id) && !state.notSeen.value.has(id), suggestedAtOnce)
      : search(query.value, shownItems),
  );
  useLayoutEffect(() => {
    // A row that was rated moves to the other list: who was on it by keyboard goes with it.
    if (just.value === undefined || document.activeElement !== document.body) return;
    const rows = document.querySelectorAll<HTMLElement>('[aria-label="Your ratings"] [data-item]');
    const row = [...rows].find(({ dataset }) => dataset['item'] === just.value);
    row?.querySelector<HTMLElement>('input:checked, button')?.focus({ preventScroll: true });
  }, [state.entries.value]);
  return (
    <section class={`card to-rate${isSearching ? ' searching' : ''}`} aria-labelledby="rated">
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Find a title to rate"
          autocomplete="off"
          aria-label="Find an item"
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
        />
      </label>
      <RateCard state={state} />
      <div class="suggested">
        <h2 class="sub">{isSearching ? 'Found' : 'Known to most, rate next'}</h2>
        <ul class="items" aria-label="Items to rate">
          {found.value.map((id) => (
            <ItemRow key={id} state={state} id={id} place="to-rate" />
          ))}
          {found.value.length === 0 ? (
            <li class="quiet">
              {isSearching ? `No title matches “${query.value}”.` : 'You have rated them all.'}
            </li>
          ) : null}
        </ul>
      </div>
      <hr />
      <div class="row spread">
        <h2 id="rated" class="sub">{`Your ratings (${rated.value.length})`}</h2>
        {forgotten.value !== undefined ? (
          <button type="button" class="plain" onClick={() => state.takeBack()}>
            Undo
          </button>
        ) : rated.value.length === 0 ? null : (
          <button type="button" class="plain" onClick={() => state.forgetAll()}>
            Forget all
          </button>
        )}
      </div>
      <ul class="items" aria-label="Your ratings">
        {rated.value.toReversed().map(({ id }) => (
          <ItemRow key={id} state={state} id={id} place="rated" />
        ))}
        {rated.value.length === 0 ? <li class="quiet small">None yet. They stay in this browser.</li> : null}
      </ul>
    </section>
  );
}

function firstOf(ids: readonly string[], isWanted: (id: string) => boolean, count: number): string[] {
  const found: string[] = [];
  for (const id of ids) {
    if (found.length === count) break;
    if (isWanted(id)) found.push(id);
  }
  return found;
}

function ItemRow({ state, id, place }: { state: TryState; id: string; place: string }) {
  const { name, year } = titleParts(state.catalogue.titleOf(id));
  return (
    <li data-item={id}>
      <div class="rated-row">
        <Poster state={state} id={id} place={place} />
        <div>
          <div class="item-title" dir="auto">
            {name}
            {year === undefined ? null : <span class="micro">{` ${year}`}</span>}
          </div>
          <RatingControl state={state} id={id} title={name} />
        </div>
      </div>
    </li>
  );
}

/** What the rating did to the list, in a word or two. */
function effectWords({ changes: { value: changes } }: TryState): string {
  return changes.fresh.size + changes.up.size === 0 ? 'Your list stays' : changeWords(changes);
}

/** One title after the other, for a phone: those that most people know first. */
function RateCard({ state }: { state: TryState }) {
  const { ratings, notSeen, known, catalogue } = state;
  const onCard = useRef<string | undefined>(undefined);
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isOver = (id: string) => ratings.value.has(id) || notSeen.value.has(id);
  if (onCard.current === undefined || notSeen.value.has(onCard.current))
    [onCard.current] = firstOf(known, (id) => !isOver(id), 1);
  const id = onCard.current;
  const isRated = id !== undefined && ratings.value.has(id);
  useEffect(() => {
    if (!isRated) return;
    later.current = setTimeout(() => {
      onCard.current = undefined;
      // Draws the card anew: what is not seen is the same as before, in a set of its own.
      notSeen.value = new Set(notSeen.value);
    }, nextAfter);
    return () => clearTimeout(later.current);
  }, [isRated, id]);
  if (id === undefined)
    return (
      <section class="card rate-card" aria-label="Rate this">
        <p class="quiet">You have rated what most people know. Search for more.</p>
      </section>
    );
  const { name, year } = titleParts(catalogue.titleOf(id));
  return (
    <section class="card rate-card" aria-label="Rate this" data-item={id}>
      <div class="known">
        <Poster state={state} id={id} place="card" />
        <div>
          <p class="micro">Known to most</p>
          <p class="item-title" dir="auto">
            {name}
          </p>
          <p class="micro">{year}</p>
        </div>
      </div>
      <RatingControl state={state} id={id} title={name} />
      <p class="row spread">
        <button type="button" class="plain" onClick={() => state.skip(id)}>
          Not seen
        </button>
        <span class="small quiet" role="status">
          {isRated ? effectWords(state) : `${state.rated.value.length} rated`}
        </span>
      </p>
    </section>
  );
}
