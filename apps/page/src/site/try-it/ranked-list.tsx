import { shownEpsilon } from '@hushrec/model/words';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { changeWords } from '../list-changes.js';
import type { ModelSummary } from '../server-interface.js';
import { titleParts } from '../title-parts.js';
import { Poster } from './poster.js';
import type { Row, TryState } from './state.js';

/** All rows are as high, so that lines between two lists need no measuring; as in the style sheet. */
const rowHeight = 60;

const count = new Intl.NumberFormat('en');
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };

/** "3rd". */
function ordinal(place: number): string {
  return `${count.format(place)}${endings[ordinals.select(place)]}`;
}

/** "without privacy", or "at ε = 3". */
function referenceWords({ epsilon }: ModelSummary): string {
  return epsilon === null ? 'without privacy' : `at ε = ${shownEpsilon(epsilon)}`;
}

const nameOf = (state: TryState, id: string) => titleParts(state.catalogue.titleOf(id)).name;

function Year({ of: title }: { of: string }) {
  const { year } = titleParts(title);
  return year === undefined ? null : <span class="micro">{` ${year}`}</span>;
}

/** Why a title is in the list. */
function reasonWords(state: TryState, { because, isNoise }: Row): string {
  const { answer } = state.list.value!;
  if (because === undefined)
    return answer.basis === 'item-means' ? 'rated best on average' : 'what most people like';
  if (isNoise) return 'noise outweighs your taste here';
  const rating = state.ratings.value.get(because) ?? state.middle;
  return `because you ${rating >= state.middle ? 'liked' : 'disliked'} ${nameOf(state, because)}`;
}

/** The list of the model on the dial, with lines to where each title stands in the list beside it. */
export function RankedList({ state, place }: { state: TryState; place: string }) {
  const list = state.list.value!;
  const reference = state.reference.value;
  const beside = state.beside.value;
  const { rows } = list;
  const { epsilon } = list.model.summary;
  return (
    <div class="ranked-list">
      <div class="row spread list-head">
        <h2>
          {epsilon === null ? 'Your list without privacy' : `Your list at ε = ${shownEpsilon(epsilon)}`}
        </h2>
        <span class="micro beside-words">
          {beside === undefined || reference === undefined
            ? ''
            : `lines: where each title stands ${referenceWords(reference)}`}
        </span>
        {beside === undefined || reference === undefined ? null : (
          <span class="micro stands">{`right: its place ${referenceWords(reference)}`}</span>
        )}
      </div>
      <div class={beside === undefined ? 'two-lists alone' : 'two-lists'}>
        <Rows state={state} rows={rows} beside={beside} place={place} />
        {beside === undefined ? null : <Lines rows={rows} beside={beside} noisy={state.noisy.value} />}
        {beside === undefined || reference === undefined ? null : (
          <ol class="beside-list" aria-label={`The list ${referenceWords(reference)}`}>
            {beside.slice(0, rows.length).map((id) => (
              <li key={id}>
                <span class="place">{beside.indexOf(id) + 1}</span>
                <span class="clamped" dir="auto">
                  {nameOf(state, id)}
                  <Year of={state.catalogue.titleOf(id)} />
                </span>
              </li>
            ))}
          </ol>
        )}
      </div>
    </div>
  );
}

interface RowsProps {
  readonly state: TryState;
  readonly place: string;
  readonly rows: readonly Row[];
  readonly beside: readonly string[] | undefined;
}

/** Rows keep their element by title; one that moved glides, unless less motion is asked for. */
function Rows({ state, rows, beside, place: where }: RowsProps) {
  const noisy = state.noisy.value;
  const changes = state.changes.value;
  const places = useRef(new Map<string, number>());
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    const before = places.current;
    places.current = new Map(rows.map(({ id }, place) => [id, place]));
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const [place, { id }] of rows.entries()) {
      const was = before.get(id) ?? place;
      if (was !== place)
        list.current?.children[place]?.animate(
          [{ transform: `translateY(${(was - place) * rowHeight}px)` }, { transform: 'none' }],
          { duration: 320, easing: 'cubic-bezier(.2,.7,.2,1)' },
        );
    }
  }, [rows]);
  return (
    <ol class="ranking" ref={list}>
      {rows.map((row, place) => {
        const { name, year } = titleParts(state.catalogue.titleOf(row.id));
        const up = changes.up.get(row.id);
        const change = changes.fresh.has(row.id) ? 'New' : up === undefined ? '' : `▲ ${up}`;
        const other = beside?.indexOf(row.id);
        return (
          <li
            key={row.id}
            data-item={row.id}
            class={`${change === '' ? '' : 'changed'}${noisy.has(row.id) ? ' is-noise' : ''}`}
          >
            <span class="place">{place + 1}</span>
            <Poster state={state} id={row.id} place={where} />
            <span class="row-words">
              <span class="clamped" dir="auto">
                {row.link === undefined ? (
                  <span class="item-title">{name}</span>
                ) : (
                  <a class="item-title" href={row.link} target="_blank" rel="noreferrer noopener">
                    {name}
                  </a>
                )}
              </span>
              <span class="micro reason" dir="auto">
                {year === undefined ? '' : `${year} · `}
                {reasonWords(state, row)}
              </span>
            </span>
            {noisy.has(row.id) ? (
              <i class="dotted noise-mark" role="img" aria-label="Noise decides this row" />
            ) : null}
            <span class="change">{change}</span>
            {other === undefined ? null : (
              <span class={`place stands${other < 0 || other >= rows.length ? ' far' : ''}`}>
                {other < 0 ? `> ${beside?.length}` : ordinal(other + 1)}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}

interface LinesProps {
  readonly rows: readonly Row[];
  readonly beside: readonly string[];
  readonly noisy: ReadonlySet<string>;
}

/** From each row to its place in the other list; dots where it is not among the first ones there. */
function Lines({ rows, beside, noisy }: LinesProps) {
  const height = rows.length * rowHeight;
  const at = (place: number) => (place + 0.5) * rowHeight;
  return (
    <svg
      class="lines"
      viewBox={`0 0 100 ${height}`}
      height={height}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {rows.map(({ id }, place) => {
        const isNoise = noisy.has(id);
        const other = beside.indexOf(id);
        const isSeen = other >= 0 && other < rows.length;
        return isSeen && !isNoise ? (
          <path
            key={id}
            class="line"
            d={`M0 ${at(place)}C50 ${at(place)} 50 ${at(other)} 100 ${at(other)}`}
          />
        ) : (
          <path
            key={id}
            class={isNoise ? 'line lost' : 'line gone'}
            d={`M0 ${at(place)}H${isSeen ? 100 : 34}`}
          />
        );
      })}
    </svg>
  );
}

/** One sentence on what the last rating did. */
export function Effect({ state }: { state: TryState }) {
  const just = state.just.value;
  const list = state.list.value;
  const changes = state.changes.value;
  const rating = just === undefined ? undefined : state.ratings.value.get(just);
  const isSame = changes.fresh.size + changes.up.size === 0;
  const words =
    list === undefined || just === undefined
      ? undefined
      : list.answer.tooNoisy
        ? ' leaves the list if it was there, and changes nothing else: this model knows nobody’s taste.'
        : isSame
          ? ' left your list as it was.'
          : ` changed your list: ${changeWords(changes)}.`;
  return (
    <p class="effect small" role="status">
      {words === undefined || just === undefined ? (
        'Rate something: the list follows at once.'
      ) : (
        <>
          <strong dir="auto">{nameOf(state, just)}</strong>
          {rating === undefined
            ? ', no longer rated,'
            : state.scale === undefined
              ? ', liked,'
              : `, ${rating} ${rating === 1 ? 'star' : 'stars'},`}
          {words}
        </>
      )}
    </p>
  );
}
