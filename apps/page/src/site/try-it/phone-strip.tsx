import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { changeWords } from '../list-changes.js';
import { titleParts } from '../title-parts.js';
import { Poster } from './poster.js';
import { RankedList } from './ranked-list.js';
import type { TryState } from './state.js';

/** On a phone: the first four of the list always in sight, and the whole of it one tap away. */
export function PhoneStrip({ state }: { state: TryState }) {
  const sheet = useRef<HTMLDialogElement>(null);
  const isOpen = useSignal(false);
  const list = state.list.value;
  if (list === undefined) return null;
  const changes = state.changes.value;
  const just = state.just.value;
  const isChanged =
    just !== undefined && list.answer.basis === 'history' && changes.fresh.size + changes.up.size > 0;
  return (
    <>
      <button
        type="button"
        class="strip"
        aria-haspopup="dialog"
        onClick={() => {
          isOpen.value = true;
          sheet.current?.showModal();
        }}
      >
        <span class="row spread">
          <strong>{isChanged ? changeWords(changes) : 'Your list'}</strong>
          <span class={isChanged ? 'chip clear' : 'micro'} dir="auto">
            {isChanged ? `because of ${titleParts(state.catalogue.titleOf(just)).name}` : 'tap to see all'}
          </span>
        </span>
        <span class="strip-posters">
          {list.rows.slice(0, 4).map(({ id }) => {
            const { name } = titleParts(state.catalogue.titleOf(id));
            const up = changes.up.get(id);
            const change = !isChanged ? '' : changes.fresh.has(id) ? 'New' : up === undefined ? '' : `▲${up}`;
            return (
              <span
                key={id}
                class={`${change === '' ? '' : 'just'}${state.noisy.value.has(id) ? ' is-noise' : ''}`}
                data-item={id}
              >
                <Poster state={state} id={id} place="strip" />
                <span class="strip-title" dir="auto">
                  {name}
                </span>
                {change === '' ? null : <span class="change">{change}</span>}
              </span>
            );
          })}
        </span>
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a tap beside the sheet closes it; the Escape key does by itself. */}
      <dialog
        class="sheet"
        aria-label="Your list"
        ref={sheet}
        onClose={() => {
          isOpen.value = false;
        }}
        onClick={({ target }) => target === sheet.current && sheet.current?.close()}
      >
        <div class="sheet-head">
          <button type="button" class="plain" onClick={() => sheet.current?.close()}>
            Close
          </button>
        </div>
        {isOpen.value ? <RankedList state={state} place="sheet" /> : null}
      </dialog>
    </>
  );
}
