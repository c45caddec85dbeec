import { effect } from '@preact/signals';
import { Drawn } from '../parts/drawn.js';
import { failure } from '../parts/states.js';
import { Dial } from './dial.js';
import { Guess } from './guess.js';
import { HowPersonal, TooNoisy } from './personal.js';
import { PhoneStrip } from './phone-strip.js';
import { Effect, RankedList } from './ranked-list.js';
import type { TryState } from './state.js';
import { ToRate } from './to-rate.js';

interface TryItProps {
  readonly state: TryState;
  readonly counter: HTMLElement;
  /** Whether the data are public, so that a model without privacy is for everyone. */
  readonly isPublic: boolean;
}

/** One list, one dial, and what privacy does to the list. */
export function TryIt({ state, counter, isPublic }: TryItProps) {
  const { problem, list } = state;
  return (
    <div class="try-it" data-whole={state.isWhole.value ? '' : undefined}>
      <div class="try-head">
        <p class="lead hide-phone">
          {state.group.models.length === 1
            ? 'Rate what you know, and see what the model lists for you.'
            : 'Rate what you know, then move the dial and watch what privacy costs you.'}
        </p>
        <Drawn node={counter} class="counter-place" />
      </div>
      <section class="card dial-card" aria-label="Privacy and your list">
        <Dial state={state} isPublic={isPublic} />
        <HowPersonal state={state} />
      </section>
      {problem.value === undefined ? null : <Drawn node={failure(problem.value)} />}
      <div class="phone-only">
        <TooNoisy state={state} heading="h2" />
      </div>
      <div class="try">
        <ToRate state={state} />
        <section class="card results" aria-label={`Recommendations of ${state.shownId.value}`}>
          <Effect state={state} />
          <TooNoisy state={state} heading="h3" />
          {list.value === undefined ? null : <RankedList state={state} place="list" />}
          {list.value !== undefined && list.value.answer.unknown.length > 0 ? (
            <p class="small quiet">
              {`${list.value.answer.unknown.length} of your ratings are of titles this model does not know.`}
            </p>
          ) : null}
        </section>
      </div>
      <Guess />
      <PhoneStrip state={state} />
    </div>
  );
}

/** The address and the title of the tab name the model on the dial. */
export function followAddress(state: TryState, signal: AbortSignal): void {
  let isFirst = true;
  const stop = effect(() => {
    const id = state.shownId.value;
    document.title = `Try it, ${id} · Hushrec`;
    if (!isFirst) history.replaceState(null, '', `#/try/${encodeURIComponent(id)}`);
    isFirst = false;
  });
  signal.addEventListener('abort', stop);
}
