import type { RatingRange } from '@hushrec/model';
import { useId } from 'preact/hooks';
import { Icon } from '../parts/drawn.js';
import { gradesOf, nearestGrade } from './grades.js';
import type { TryState } from './state.js';

/**
 * Stars as a radio group: arrow keys choose, a screen reader says "3 of 5"; the cross takes a rating back.
 * Models of likes get one "Like" switch.
 */
export function RatingControl({ state, id, title }: { state: TryState; id: string; title: string }) {
  const current = state.ratings.value.get(id);
  const { scale } = state;
  if (scale === undefined) {
    const isLiked = current !== undefined;
    return (
      <button
        type="button"
        aria-pressed={isLiked}
        aria-label={`Like ${title}`}
        onClick={() => state.rate(id, isLiked ? undefined : 1)}
      >
        {isLiked ? '♥ Liked' : '♡ Like'}
      </button>
    );
  }
  return <Stars state={state} id={id} title={title} current={current} scale={scale} />;
}

interface StarsProps {
  readonly state: TryState;
  readonly id: string;
  readonly title: string;
  readonly current: number | undefined;
  readonly scale: RatingRange;
}

function Stars({ state, id, title, current, scale }: StarsProps) {
  const grades = gradesOf(scale);
  const chosen = current === undefined ? undefined : nearestGrade(grades, current);
  const name = useId();
  return (
    <fieldset>
      <legend class="visually-hidden">{`Your rating of ${title}`}</legend>
      <span class="stars">
        {grades.map((grade) => (
          <label key={grade} class={chosen !== undefined && grade <= chosen ? 'on' : ''}>
            <input
              type="radio"
              name={name}
              value={grade}
              checked={grade === chosen}
              aria-label={`${grade} of ${grades.at(-1)}`}
              onChange={() => state.rate(id, grade)}
            />
            <Icon name="star" />
          </label>
        ))}
      </span>
      {current === undefined ? null : (
        <button
          type="button"
          class="plain"
          aria-label={`Remove your rating of ${title}`}
          onClick={() => state.rate(id, undefined)}
        >
          <Icon name="cross" />
        </button>
      )}
    </fieldset>
  );
}
